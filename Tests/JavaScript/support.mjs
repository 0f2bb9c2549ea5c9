// What the tests of humon.js share: servers, proxies and ID tokens.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const root = new URL('../..', import.meta.url).pathname;
export const source = readFileSync(join(root, 'pages/humon.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'humon-js-'));
after(() => rmSync(folder, { recursive: true }));
// Older versions of Node.js read the file as a module only with this name.
writeFileSync(join(folder, 'humon.mjs'), source);
export const { Humon, HumonError } = await import(join(folder, 'humon.mjs'));

// As docs/javascript.md says: otherwise Deno itself repeats requests.
if (globalThis.Deno) {
  const { fetch } = globalThis;
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  globalThis.fetch = (url, options) => fetch(url, { ...options, client });
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyFile = join(folder, 'keys.json');
const key = { ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256', use: 'sig' };
writeFileSync(keyFile, JSON.stringify({ keys: [key] }));

/** Returns an ID token of the servers' issuer. */
export const idToken = (name, claims = {}) => {
  const now = Math.floor(Date.now() / 1000);
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = [
    { alg: 'ES256', kid: 'test' },
    { iss: 'https://issuer.test', aud: 'my-app', sub: name, iat: now, exp: now + 3600, ...claims },
  ].map(encoded).join('.');
  const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
};

/** Starts a program that prints one line of JSON, and ends it after the tests of the file. */
const start = async (program, ...flags) => {
  const process = spawn(program, flags, { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => process.stdin.end());
  return new Promise((resolve, reject) => {
    process.once('error', reject);
    process.once('exit', () => reject(new Error(`${program} has ended`)));
    process.stdout.once('data', (line) => resolve(JSON.parse(line)));
  });
};

/** Starts `humon test-server`, with its URL and its app secret. */
export const startServer = (...flags) => start(
  process.env.HUMON_PROGRAM ?? join(root, '.build/debug/humon'),
  'test-server', '--systems', 'humon', '--log-level', 'error', '--auth-issuers',
  `https://issuer.test my-app ${keyFile}`, ...flags,
);

/** Starts a proxy of a server that makes requests fail. */
export const startProxy = async (server) => {
  const program = process.env.HUMON_FAULT_PROXY ?? join(root, '.build/debug/FaultProxy');
  const proxy = await start(program, '--target', new URL(server.url).host);
  const order = async (path, method = 'POST', body = undefined) =>
    (await fetch(proxy.control + path, { method, body })).json();
  return {
    url: proxy.url,
    seed: proxy.seed,
    /** The next requests get these faults, one each. */
    fail: (...faults) => order('/faults', 'POST', faults.join('\n')),
    failOften: (percent) => order(`/random?percent=${percent}`),
    /** Returns the requests since the last call, and those that reached the other host. */
    async requests() {
      const requests = await order('/requests', 'GET');
      await order('/requests', 'DELETE');
      return requests;
    },
  };
};

/** Starts a server that responds with the function's status, body and headers. */
export const startStub = async (respond) => {
  const requests = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', async () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const [status, value = {}, headers = {}] = await respond(requests.length, request);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
};

/** Returns a token store that contains a text. */
export const storeOf = (text = null) => {
  const store = {
    text,
    get: () => store.text,
    set: (value) => { store.text = value; },
    remove: () => { store.text = null; },
  };
  return store;
};

/** Expects an error of this kind, and returns it. */
export const fails = async (kind, work) => {
  let error;
  try {
    await work;
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof HumonError, `${error?.stack ?? 'no error'}, and not ${kind}`);
  assert.equal(error.kind, kind, error.stack);
  return error;
};

/** Repeats the work for up to 10 s until it fails, and expects an error of this kind. */
export const failsSoon = async (kind, work) => {
  const end = Date.now() + 10_000;
  let attempt = work();
  while (Date.now() < end && await attempt.then(() => true, () => false)) attempt = work();
  return fails(kind, attempt);
};

/** Returns all values of an asynchronous sequence. */
export const all = async (sequence) => {
  const values = [];
  for await (const value of sequence) values.push(value);
  return values;
};

export const jazz = {
  name: 'Late jazz', lat: 51.0545, lon: 3.7221, started_at: '2036-06-01T18:00:00.000Z',
};
