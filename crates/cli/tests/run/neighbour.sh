# For scripts in a network namespace of their own: makes another one and a link to it, near0 here and far0 there;
# `there COMMAND` runs a command in it.
PATH=$PATH:/usr/sbin:/sbin
ip link set lo up
unshare --net sleep 1000 &
far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
there() { nsenter --target $far --net "$@"; }
ip link add near0 type veth peer name far0 netns $far 2> error.log || { echo "skipped: $(cat error.log)"; exit 0; }
