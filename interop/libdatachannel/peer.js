// A WebRTC peer made of libdatachannel, a stack in C++, by its package node-datachannel (see ../webrtc.md).
"use strict";
const { createInterface } = require("node:readline");
const { RTCPeerConnection } = require("node-datachannel/polyfill");
const { makePeer } = require("../webrtc/peer.js");

setTimeout(() => process.exit(1), 5 * 60 * 1000).unref();
const obey = makePeer(RTCPeerConnection, (line) => console.log(line), { iceServers: [] });
console.log("ready");
const input = createInterface({ input: process.stdin });
input.on("line", obey);
input.on("close", () => process.exit(0));
