// Drives Chromium, headless, over a pipe (DevTools protocol), with the page's own RTCPeerConnection as the peer.
// Arguments: the browser, a folder for its profile, and what to do:
//
//   peer              commands and news of a peer, as ../webrtc.md says
//   page URL FILE PNG opens a page of `sheave dc serve`, sends a line and that file by it, takes a picture
"use strict";
const { spawn } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { join } = require("node:path");

const [browser, profile, task, ...rest] = process.argv.slice(2);
const child = spawn(browser, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--mute-audio",
  "--allow-loopback-in-peer-connection", "--disable-features=WebRtcHideLocalIpsWithMdns",
  "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--window-size=760,760", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
child.on("exit", () => process.exit(0));
process.on("exit", () => child.kill());
setTimeout(() => process.exit(1), 5 * 60 * 1000).unref();

const waiting = new Map();
let last = 0, session, onBinding = () => {}, onLoaded = () => {};

function call(method, params = {}) {
  last += 1;
  const message = { id: last, method, params };
  if (session) message.sessionId = session;
  child.stdio[3].write(`${JSON.stringify(message)}\0`);
  return new Promise((resolve, reject) => waiting.set(message.id, { resolve, reject }));
}

let pending = "";
child.stdio[4].setEncoding("utf8");
child.stdio[4].on("data", (text) => {
  const parts = (pending + text).split("\0");
  pending = parts.pop();
  for (const part of parts) {
    const message = JSON.parse(part);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (asked && message.error) asked.reject(new Error(message.error.message));
    else if (asked) asked.resolve(message.result);
    else if (message.method === "Runtime.bindingCalled") onBinding(message.params.payload);
    else if (message.method === "Page.loadEventFired") onLoaded();
  }
});

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function evaluate(expression) {
  const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

async function until(expression, seconds) {
  for (let tries = 0; tries < seconds * 10; tries += 1) {
    if (await evaluate(expression)) return;
    await sleep(100);
  }
  throw new Error(`never: ${expression}; the page says ${await evaluate("document.body.innerText")}`);
}

async function attach() {
  const { targetInfos } = await call("Target.getTargets");
  const page = targetInfos.find(({ type }) => type === "page");
  ({ sessionId: session } = await call("Target.attachToTarget", { targetId: page.targetId, flatten: true }));
  await call("Page.enable");
}

async function peer() {
  await call("Runtime.addBinding", { name: "tell" });
  onBinding = (line) => console.log(line);
  await evaluate(readFileSync(join(__dirname, "peer.js"), "utf8"));
  await evaluate("globalThis.obey = makePeer(RTCPeerConnection, tell); undefined");
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    // In order, and a command may take its time: the page keeps them apart.
    call("Runtime.evaluate", { expression: `obey(${JSON.stringify(line)})` });
  }
  process.exit(0);
}

async function visit(url) {
  const loaded = new Promise((resolve) => { onLoaded = resolve; });
  await call("Page.navigate", { url });
  await loaded;
  await until("document.getElementById('state').className === 'up'", 30);
}

async function page(url, file, picture) {
  await visit(url);
  console.log("connected");
  // A reload is a new connection, and the end of the old one.
  await visit(url);
  console.log("reloaded");
  await evaluate("el('line').value = 'hello from the page'; el('say').requestSubmit()");
  const { root } = await call("DOM.getDocument");
  const { nodeId } = await call("DOM.querySelector", { nodeId: root.nodeId, selector: "#file" });
  await call("DOM.setFileInputFiles", { nodeId, files: [file] });
  await until("document.getElementById('files').textContent.includes('bytes arrived')", 60);
  console.log("sent");
  await until("document.querySelectorAll('#files a').length > 0", 30);
  const received = await evaluate("fetch(document.querySelector('#files a').href).then((it) => it.arrayBuffer()).then((it) => crypto.subtle.digest('SHA-256', it)).then((it) => Array.from(new Uint8Array(it), (value) => value.toString(16).padStart(2, '0')).join(''))");
  console.log(`received ${received}`);
  await evaluate("load(1)");
  await until("el('speed').textContent.startsWith('sent ')", 30);
  console.log(`speed ${await evaluate("el('speed').textContent")}`);
  const { data } = await call("Page.captureScreenshot", { format: "png" });
  writeFileSync(picture, Buffer.from(data, "base64"));
  console.log("done");
  process.exit(0);
}

(async () => {
  await attach();
  await { peer, page }[task](...rest);
})().catch((error) => {
  console.log(`failed ${error.message}`);
  process.exit(1);
});
