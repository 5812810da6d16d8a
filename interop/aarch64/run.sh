#!/bin/bash
# run.sh [ARGS...]
#
# Builds `sheave` and the tests of `sheave run` for aarch64, boots Debian's kernel for it in an emulator, and runs
# them there through both doors. ARGS are those of the tests, which are all run without: run.sh preload:: --nocapture
#
# Its code is 0 if all succeed. Where something is missing it prints "skipped: " and what, and succeeds.
# SHEAVE_GUEST_PAGES: 4 or 16, the KiB of the guest's pages (default 4).
# SHEAVE_GUEST_MEMORY: MiB that the guest has (default 3072). SHEAVE_GUEST_BOUND: seconds after which it is
# stopped (default 5400). SHEAVE_GUEST_CHECKS: a script to run there instead of the tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
skip() { echo "skipped: $*"; exit 0; }
target=aarch64-unknown-linux-gnu
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio apt-get dpkg-deb timeout; do
  command -v $tool > /dev/null ||
    skip "no $tool (Debian: qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross cpio)"
done
rustup target add $target > /dev/null 2>&1 || skip "no Rust library for $target"

folder=$PWD/target/interop/aarch64
[ "$folder/system.cpio" -nt "$here/packages.sh" ] || "$here/packages.sh" "$folder"

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc
# Made sooner, and no slower than the emulator.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=false
build() { cargo test --locked --release --no-run --target $target "$@" 2>&1 | tee /dev/stderr; }
built=$(build -p sheave-cli --test run && build -p sheave-run)
mapfile -t tests < <(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<< "$built")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
install -D "$here/init" "$root/init"
# The tests name the tool and their programs by their paths here.
there=$root$PWD
tool=target/$target/release/sheave
for file in "$tool" "${tests[@]}"; do
  mkdir -p "$there/$(dirname "$file")"
  aarch64-linux-gnu-strip -o "$there/$file" "$file"
done
mkdir -p "$there/crates/cli/tests"
cp -r crates/cli/tests/run "$there/crates/cli/tests/"
mkdir -p "$there/crates/run"
if [ -n "${SHEAVE_GUEST_CHECKS:-}" ]; then
  cp "$SHEAVE_GUEST_CHECKS" "$root/checks"
else
  {
    echo "uname -srm; $PWD/$tool doctor || true"
    echo "$PWD/$tool demo transfer || failed=1"
    # An emulator does less in the time that tests are given.
    echo "export SHEAVE_ECHOES=300"
    # The tests run themselves through the door preload, too. Some need a second machine, booted in this one.
    for test in "${tests[@]}"; do
      printf '%q ' "$PWD/$test" --skip kernel:: --skip differences:: "$@"
      echo '|| failed=1'
    done
    # shellcheck disable=SC2016
    echo 'exit ${failed:-0}'
  } > "$root/checks"
fi
sed -i "1i cd $PWD/crates/cli; export SHEAVE=$PWD/$tool RUST_TEST_THREADS=2" "$root/checks"
# The kernel unpacks one archive after the other.
{ cat "$folder/system.cpio"; (cd "$root" && find . | cpio --quiet -o -H newc); } > "$work/initrd"

# With two processors each side looks for the other's news without sleeping.
timeout "${SHEAVE_GUEST_BOUND:-5400}" qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 \
  -m "${SHEAVE_GUEST_MEMORY:-3072}" -kernel "$folder/kernel-${SHEAVE_GUEST_PAGES:-4}" -initrd "$work/initrd" \
  -append "console=ttyAMA0 quiet panic=-1 rdinit=/init" -nographic -no-reboot -nic none < /dev/null |
  sed -u 's/\r//g' | tee "$work/console"
grep -q '^=== 0' "$work/console"
