// Receives the messages of a Humon webhook, and mirrors its events in mirror.json.
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");

const secret = Buffer.from(process.env.HUMON_WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
const largestBody = 4 << 20;

const file = "mirror.json";
let state = { events: {}, messages: [] };
if (fs.existsSync(file)) state = JSON.parse(fs.readFileSync(file, "utf8"));

// Returns whether Humon has signed the message in the last five minutes.
function isGenuine(id, timestamp, signatures, body) {
  const hmac = crypto.createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from("v1," + hmac.digest("base64"));
  // During a rotation, the header has two signatures.
  const isSigned = signatures.split(" ").map((one) => Buffer.from(one)).some((one) =>
    one.length === expected.length && crypto.timingSafeEqual(one, expected));
  return isSigned && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
}

// Stores a message, and replaces the file as a whole. Ignores messages that it has stored before.
function store(id, message) {
  if (state.messages.includes(id)) return;
  // Humon repeats only the latest messages.
  const messages = [...state.messages, id].slice(-1000);
  const next = { events: apply(message, { ...state.events }), messages };
  const descriptor = fs.openSync(file + ".new", "w");
  fs.writeFileSync(descriptor, JSON.stringify(next));
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
  fs.renameSync(file + ".new", file);
  state = next;
}

function apply({ type, data }, events) {
  if (type === "reset") return {};
  if (type !== "snapshot" && type !== "changes") return events;
  for (const change of data.changes) {
    if (change.type !== "event") continue;
    if (change.op === "leave") delete events[change.id];
    if (change.op === "enter" || change.op === "change") events[change.id] = change.event;
  }
  return events;
}

async function respond(request) {
  if (!(Number(request.headers["content-length"]) <= largestBody)) return 413;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const field = (name) => request.headers["webhook-" + name] ?? "";
  const id = field("id");
  if (!isGenuine(id, field("timestamp"), field("signature"), body)) return 401;
  store(id, JSON.parse(body));
  return 204;
}

const server = http.createServer(async (request, response) => {
  response.statusCode = await respond(request).catch(() => 500);
  response.setHeader("Connection", "close");
  response.end();
});
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`listening on port ${server.address().port}`);
});
