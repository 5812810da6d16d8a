#!/usr/bin/env bash
# sipmessage 0.7.1 (PyPI): a challenge whose realm has a comma is an error or falls apart, the one that it has just written, too.
#
# Guess: a comma in a string in quotes is a part of it (RFC 3261, §25.1: quoted-string); the class has a pattern that knows these strings, and reads what it
#   wrote.
# Seen: the pattern accepts the challenge, and then the text is split at each comma. 'realm="Example, Inc."' is a ValueError; where an equals sign
#   follows, the rest of the realm is a parameter of its own, so that 'realm="ou=voice, o=example"' has the realm "ou=voic", without a
#   letter, and a parameter o. An answer that is counted with that realm is refused.
# Source: sipmessage/auth.py, AuthParameters.parse (COMMA_PATTERN.split), AuthChallenge.parse; address.py, unquote.
# Output seen: 'realm="example.com": realm=example.com nonce=1', 'realm="Example, Inc.": ValueError', 'realm="ou=voice, o=example": realm=ou=voic o=example" nonce=1'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v sipmessage==0.7.1 || exit 2
cat >run.py <<'PY'
from sipmessage import AuthChallenge, AuthParameters

for realm in ("example.com", "Example, Inc.", "ou=voice, o=example"):
    written = str(AuthChallenge("Digest", AuthParameters(realm=realm, nonce="1")))
    assert written == f'Digest realm="{realm}", nonce="1"'
    try:
        read = " ".join(f"{name}={value}" for name, value in AuthChallenge.parse(written).parameters.items())
    except ValueError as error:
        read = type(error).__name__
    print(f'realm="{realm}": {read}')
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = 'realm="example.com": realm=example.com nonce=1
realm="Example, Inc.": ValueError
realm="ou=voice, o=example": realm=ou=voic o=example" nonce=1' ] || { echo "changed" >&2; exit 1; }
