"""A WebRTC peer made of GStreamer's webrtcbin, a stack in C over libnice, OpenSSL and usrsctp (see ../webrtc.md).

Its own certificate is RSA-2048, as webrtcbin makes it; with the word `ecdsa` it gets one of P-256.
"""

import hashlib
import json
import re
import ssl
import subprocess
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

BOUND = 300
GATHERING = 50  # Milliseconds between two looks at the state of gathering.

output = threading.Lock()
channels = {}
certificate = None


def say(*words):
    # Channels have threads of their own.
    with output:
        print(*words, flush=True)


def limit(most):
    return "-" if most < 0 else most


class Certificate:
    """A key of P-256 and its certificate, in one text as webrtcbin's elements want them."""

    def __init__(self):
        command = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=peer "
            "-keyout - -out -"
        )
        made = subprocess.run(command.split(), check=True, capture_output=True, text=True)
        self.pem = made.stdout
        der = ssl.PEM_cert_to_DER_cert(self.pem[self.pem.index("-----BEGIN CERT") :])
        self.fingerprint = ":".join(f"{byte:02X}" for byte in hashlib.sha256(der).digest())

    def give_to(self, connection):
        def added(_bin, _inner, element):
            if element.get_factory() and element.get_factory().get_name() == "dtlssrtpdec":
                element.set_property("pem", self.pem)

        connection.connect("deep-element-added", added)

    def describe(self, sdp):
        """The description with its fingerprint: webrtcbin writes that of the certificate that it made itself."""
        return re.sub(r"(a=fingerprint:sha-256 )\S+", rf"\g<1>{self.fingerprint}", sdp)


class Made:
    """The certificate that webrtcbin makes: RSA."""

    def give_to(self, connection):
        pass

    def describe(self, sdp):
        return sdp


def connection():
    made = Gst.ElementFactory.make("webrtcbin", "peer")
    certificate.give_to(made)
    made.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
    pipeline = Gst.Pipeline.new("pipeline")
    pipeline.add(made)
    pipeline.set_state(Gst.State.PLAYING)
    return pipeline, made


def attend(channel):
    label = channel.get_property("label")
    channels[label] = channel
    said = []

    def opened(*_):
        # A channel of the peer's may be open, and tell so again.
        if said:
            return
        said.append(True)
        order = "ordered" if channel.get_property("ordered") else "unordered"
        limits = [limit(channel.get_property(name)) for name in ("max-retransmits", "max-packet-lifetime")]
        say("opened", label, order, *limits, json.dumps(channel.get_property("protocol") or ""))

    def message(kind, raw, back):
        if label.startswith("echo"):
            channel.emit(f"send-{back}", raw if back == "string" else GLib.Bytes.new(raw))
            return
        raw = raw.encode() if back == "string" else raw
        say("message", label, kind, len(raw), sum(raw) % (1 << 32))

    channel.connect("on-open", opened)
    channel.connect("on-close", lambda _: say("closed", label))
    channel.connect("on-error", lambda _, error: say("failed channel", label, error.message))
    channel.connect("on-buffered-amount-low", lambda _: say("low", label))
    channel.connect("on-message-string", lambda _, text: message("text", text or "", "string"))
    channel.connect("on-message-data", lambda _, data: message("binary", data.get_data() if data else b"", "data"))
    if channel.get_property("ready-state") == GstWebRTC.WebRTCDataChannelState.OPEN:
        opened()


def open_channel(peer, label, words):
    chosen = Gst.Structure.new_empty("options")
    for word in words:
        key, _, value = word.partition("=")
        if key == "unordered":
            chosen.set_value("ordered", False)
        elif key == "retransmits":
            chosen.set_value("max-retransmits", int(value))
        elif key == "lifetime":
            chosen.set_value("max-packet-lifetime", int(value))
        elif key == "protocol":
            chosen.set_value("protocol", value)
        elif key == "id":
            chosen.set_value("negotiated", True)
            chosen.set_value("id", int(value))
        else:
            raise ValueError(f"option {word}")
    attend(peer.emit("create-data-channel", label, chosen))


def description(kind, text):
    _, sdp = GstSdp.SDPMessage.new_from_text(json.loads(text)["sdp"])
    return GstWebRTC.WebRTCSessionDescription.new(kind, sdp)


def describe(peer, kind):
    def made(promise, *_):
        # The description lives as long as the reply that holds it.
        reply = promise.get_reply()
        peer.emit("set-local-description", reply.get_value(kind), Gst.Promise.new())
        GLib.timeout_add(GATHERING, gathered)

    def gathered():
        if peer.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            return True
        sdp = peer.get_property("local-description").sdp.as_text()
        say(kind, json.dumps({"type": kind, "sdp": certificate.describe(sdp)}))
        return False

    peer.emit(f"create-{kind}", None, Gst.Promise.new_with_change_func(made))


def send(channel, kind, size, count):
    raw = bytes(97 + index % 26 for index in range(int(size)))

    def one(left):
        while left and channel.get_property("buffered-amount") < 1 << 20:
            if kind == "text":
                channel.emit("send-string", raw.decode())
            else:
                channel.emit("send-data", GLib.Bytes.new(raw))
            left -= 1
        if left:
            GLib.timeout_add(5, one, left)
        return False

    one(int(count))


def obey(peer, line):
    verb, _, rest = line.partition(" ")
    words = rest.split()
    remote = GstWebRTC.WebRTCSDPType
    if verb == "offer":
        open_channel(peer, "first", [])
        describe(peer, "offer")
    elif verb == "offered":
        def taken(*_):
            describe(peer, "answer")

        peer.emit("set-remote-description", description(remote.OFFER, rest), Gst.Promise.new_with_change_func(taken))
    elif verb == "answered":
        peer.emit("set-remote-description", description(remote.ANSWER, rest), Gst.Promise.new())
    elif verb == "open":
        open_channel(peer, words[0], words[1:])
    elif verb == "send":
        send(channels[words[0]], *words[1:])
    elif verb == "close":
        channels[words[0]].emit("close")
    elif verb == "low":
        channels[words[0]].set_property("buffered-amount-low-threshold", int(words[1]))
    else:
        raise ValueError(f"command {verb}")


def main():
    global certificate
    Gst.init(None)
    certificate = Certificate() if "ecdsa" in sys.argv[1:] else Made()
    loop = GLib.MainLoop()
    pipeline, peer = connection()
    peer.connect("on-data-channel", lambda _, channel: attend(channel))

    def turn(line):
        try:
            obey(peer, line)
        except Exception as error:
            say("failed", line.split(" ", 1)[0], repr(error))
        return False

    def read():
        for line in sys.stdin:
            GLib.idle_add(turn, line.rstrip("\n"))
        GLib.idle_add(loop.quit)

    threading.Thread(target=read, daemon=True).start()
    GLib.timeout_add_seconds(BOUND, loop.quit)
    say("ready")
    loop.run()
    pipeline.set_state(Gst.State.NULL)


main()
