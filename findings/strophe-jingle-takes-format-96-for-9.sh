#!/usr/bin/env bash
# strophe.jingle 0.0.9 (npm): a section with the formats 96 and 9 goes out in Jingle with 96 twice, and 9 is gone.
#
# Guess: each number of the m= line becomes a payload-type with its own name and parameters (XEP-0167, §4).
# Seen: the line of a format is the first that begins with "a=rtpmap:9", and that may be the one of 96: the peer has two formats of one number and no
#   G.722. For parameters and feedback the same: 9 has those of 90 to 99, 1 those of 10 to 19 and 100 on; they are wrong in either order, as
#   a static format has none of its own.
# Source: strophe.jingle.sdp.js, SDP.toJingle and SDPUtil.find_line (substring(0, needle.length) == needle).
# Output seen: "96 opus useinbandfec=1" twice; the other way round: "96 opus useinbandfec=1", "9 G722 useinbandfec=1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts strophe.jingle@0.0.9 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const SDP = require("strophe.jingle/strophe.jingle.sdp.js");
// An element that collects its children, with the four calls of Strophe's builder.
class Builder {
  constructor() {
    this.root = this.node = { name: "jingle", attrs: {}, children: [] };
  }
  c(name, attrs = {}) {
    this.node.children.push({ name, attrs: { ...attrs }, children: [], parent: this.node });
    this.node = this.node.children.at(-1);
    return this;
  }
  attrs(attrs) { Object.assign(this.node.attrs, attrs); return this; }
  t() { return this; }
  up() { this.node = this.node.parent ?? this.node; return this; }
}
const show = (...lines) => {
  const text = ["v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "t=0 0", "m=audio 9 RTP/SAVPF 96 9", "c=IN IP4 192.0.2.1", ...lines, ""].join("\r\n");
  const builder = new Builder();
  new SDP(text).toJingle(builder, "initiator");
  const [description] = builder.root.children[0].children;
  for (const { attrs, children } of description.children) {
    console.log([attrs.id, attrs.name, ...children.map(({ attrs: { name, value } }) => `${name}=${value}`)].join(" "));
  }
};
const OPUS = ["a=rtpmap:96 opus/48000/2", "a=fmtp:96 useinbandfec=1"];
const G722 = ["a=rtpmap:9 G722/8000"];
show(...OPUS, ...G722);
console.log("the other way round:");
show(...G722, ...OPUS);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "96 opus useinbandfec=1
96 opus useinbandfec=1
the other way round:
96 opus useinbandfec=1
9 G722 useinbandfec=1" ] || { echo "changed" >&2; exit 1; }
