// A peer of data channels over any RTCPeerConnection: the browser's, or one of a package. Returns a function
// that obeys a command line; `say` gets lines of news (see ../webrtc.md).
function makePeer(RTCPeerConnection, say, configuration = {}) {
  const peer = new RTCPeerConnection(configuration);
  const channels = new Map();
  const decoder = new TextDecoder();
  const limit = (most) => most ?? "-";

  function attend(channel) {
    const { label } = channel;
    let opened = false;
    channels.set(label, channel);
    channel.binaryType = "arraybuffer";
    const onOpen = () => {
      if (opened) return;
      opened = true;
      const order = channel.ordered ? "ordered" : "unordered";
      say(`opened ${label} ${order} ${limit(channel.maxRetransmits)} ${limit(channel.maxPacketLifeTime)} ${JSON.stringify(channel.protocol ?? "")}`);
    };
    channel.onopen = onOpen;
    channel.onclose = () => say(`closed ${label}`);
    channel.onbufferedamountlow = () => say(`low ${label}`);
    channel.onmessage = ({ data }) => {
      if (label.startsWith("echo")) {
        try {
          return channel.send(data);
        } catch (error) {
          return say(`failed echo on ${label}: ${error}`);
        }
      }
      const text = typeof data === "string";
      const bytes = text ? new TextEncoder().encode(data) : new Uint8Array(data);
      let sum = 0;
      for (const value of bytes) sum = (sum + value) >>> 0;
      say(`message ${label} ${text ? "text" : "binary"} ${bytes.length} ${sum}`);
    };
    if (channel.readyState === "open") onOpen();
  }

  function open(label, words) {
    const chosen = {};
    for (const word of words) {
      const [key, value] = word.split("=");
      if (key === "unordered") chosen.ordered = false;
      else if (key === "retransmits") chosen.maxRetransmits = Number(value);
      else if (key === "lifetime") chosen.maxPacketLifeTime = Number(value);
      else if (key === "protocol") chosen.protocol = value;
      else if (key === "id") Object.assign(chosen, { negotiated: true, id: Number(value) });
      else throw new Error(`option ${word}`);
    }
    attend(peer.createDataChannel(label, chosen));
  }

  async function describe(make) {
    await peer.setLocalDescription(await make);
    for (let tries = 0; peer.iceGatheringState !== "complete" && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { type, sdp } = peer.localDescription;
    say(`${type} ${JSON.stringify({ type, sdp })}`);
  }

  // As much as the channel takes, and the rest once there is room.
  async function send(channel, text, size, count) {
    const bytes = Uint8Array.from({ length: size }, (_, index) => 97 + index % 26);
    const message = text ? decoder.decode(bytes) : bytes;
    for (let sent = 0; sent < count; sent += 1) {
      while (channel.bufferedAmount > 8 << 20) await new Promise((resolve) => setTimeout(resolve, 5));
      channel.send(message);
    }
  }

  peer.ondatachannel = ({ channel }) => attend(channel);

  return async function obey(line) {
    const [verb, ...words] = line.split(" ");
    const rest = line.slice(verb.length + 1);
    try {
      if (verb === "offer") {
        open("first", []);
        await describe(peer.createOffer());
      } else if (verb === "offered") {
        await peer.setRemoteDescription(JSON.parse(rest));
        await describe(peer.createAnswer());
      } else if (verb === "answered") await peer.setRemoteDescription(JSON.parse(rest));
      else if (verb === "open") open(words[0], words.slice(1));
      else if (verb === "send") await send(channels.get(words[0]), words[1] === "text", Number(words[2]), Number(words[3]));
      else if (verb === "close") channels.get(words[0]).close();
      else if (verb === "low") channels.get(words[0]).bufferedAmountLowThreshold = Number(words[1]);
      else throw new Error(`command ${verb}`);
    } catch (error) {
      say(`failed ${verb}: ${error}`);
    }
  };
}

if (typeof module !== "undefined") module.exports = { makePeer };
