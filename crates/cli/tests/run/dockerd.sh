#!/bin/sh
# A daemon of Docker for tests, which touches no network, and no file but those in its folder: it writes to
# /etc/docker and /opt otherwise.
#
#   dockerd.sh FOLDER    runs until it is killed, and listens on unix://FOLDER/socket; root
# shellcheck disable=SC2016
exec unshare --mount --propagation private sh -c 'mkdir -p /etc/docker /opt &&
    mount -t tmpfs none /etc/docker && mount -t tmpfs none /opt && exec dockerd "$@"' dockerd \
    --bridge=none --storage-driver=vfs --iptables=false --ip6tables=false --ip-forward=false \
    --ip-masq=false --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \
    --host "unix://$1/socket"
