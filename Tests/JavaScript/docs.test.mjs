// The code of docs/javascript.md, against a server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  Humon, HumonError, fails, idToken, jazz, startServer, startStub, storeOf,
} from './support.mjs';

const address = 'https://events.example.com';
const page = readFileSync(new URL('../../docs/javascript.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);

/** Runs a block with these variables, and returns the values of its own named ones. */
const run = (code, variables, names = []) => {
  const AsyncFunction = (async () => {}).constructor;
  const text = `${code}\nreturn { ${names.join(', ')} };`;
  return new AsyncFunction(...Object.keys(variables), text)(...Object.values(variables));
};

test('The code of the documentation runs', async () => {
  const server = await startServer();
  assert.equal(blocks.length, 6);
  const [start, find, signIn, write, follow, store] = blocks.map((code) => code.replaceAll(address, server.url));
  assert.ok(start.startsWith(`import { Humon, HumonError } from '${server.url}/humon.js';\n`));
  assert.ok(HumonError);
  const { humon } = await run(start.replace(/^import.*\n/, ''), { Humon }, ['humon']);
  const device = new Humon(server.url, { appSecret: server.secret, tokens: storeOf() });
  await device.signUp();
  await device.events.create({ ...jazz, category: 'music' });
  const lines = [];

  const found = await run(
    find, { humon, console: { log: (...line) => lines.push(line) } }, ['events', 'next', 'clusters'],
  );
  await run(signIn, { humon: new Humon(server.url, { tokens: storeOf() }), idToken: idToken('ana') });
  const confirm = (question) => lines.push(question) > 0;
  await run(signIn, { humon: device, idToken: idToken('ana'), confirm });
  const { id } = await run(write, { humon: device }, ['id']);
  const end = new AbortController();
  const followed = new Promise((resolve) => {
    const console = { log: (...line) => { end.abort(); resolve(line); } };
    const changes = run(follow, { humon, signal: end.signal, console });
    changes.catch((error) => assert.equal(error.kind, 'cancelled'));
  });
  // Until the stream is open, changes are not later ones.
  const other = new Humon(server.url, { appSecret: server.secret, tokens: storeOf() });
  await other.signUp();
  while (!end.signal.aborted) await other.events.create(jazz);
  const [operation, , name] = await followed;
  assert.deepEqual([operation, name], ['enter', jazz.name]);
  const { own, memory } = await run(store, { Humon }, ['own', 'memory']);
  await own.signIn({ idToken: idToken('bob') });

  assert.deepEqual(lines, [['Late jazz', 0.521463], 'Move 1 events to your account?']);
  assert.deepEqual([found.events.length, found.next, found.clusters.length], [1, null, 1]);
  assert.equal((await device.me()).events, 1);
  assert.ok(id > 1);
  assert.equal(memory.size, 1);
  await fails('notFound', device.events.get(id));
});

test('The documentation has every operation and every kind', async () => {
  const { url } = await startStub(() => [200]);
  const words = new Set([...page.matchAll(/`(\w+)(\(\))?`/g)].map(([, word]) => word));
  for (const name of [...Humon.operations.map(({ name }) => name.split('.').at(-1)), 'search']) {
    assert.ok(words.has(name), name);
  }
  const types = readFileSync(new URL('../../pages/humon.d.ts', import.meta.url), 'utf8');
  const [kinds] = /ErrorKind =[^;]+/.exec(types);
  for (const [, kind] of kinds.matchAll(/'(\w+)'/g)) assert.ok(words.has(kind), kind);
  const humon = new Humon(url, { tokens: storeOf('token') });
  for (const group of ['events', 'attendances', 'reports', 'blocks', 'changes']) {
    for (const name of Object.keys(humon[group])) assert.ok(words.has(name), name);
  }
});

test('Each kind of the client has a type', () => {
  const types = readFileSync(new URL('../../pages/humon.d.ts', import.meta.url), 'utf8');
  const source = readFileSync(new URL('../../pages/humon.js', import.meta.url), 'utf8');
  const [declared] = /ErrorKind =[^;]+/.exec(types);
  const [statuses] = /const kinds = \{[^}]+/.exec(source);
  const thrown = [
    ...[...statuses.matchAll(/'(\w+)'/g)], ...source.matchAll(/HumonError\(\s*'(\w+)'/g),
    ...source.matchAll(/\? '(\w+)' : '(\w+)'/g),
  ].flatMap(([, ...kinds]) => kinds);

  const names = [...declared.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  assert.deepEqual([...new Set([...thrown, 'server'])].filter((kind) => kind).sort(), names.sort());
});
