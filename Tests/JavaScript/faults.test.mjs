// Every operation, through a proxy that makes requests fail.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Humon, HumonError, all, fails, idToken, jazz, startProxy, startServer, storeOf,
} from './support.mjs';

const server = await startServer();
let number = 0;

/** Returns the client of a new device, and another client of the same user without the proxy. */
const devices = async (proxy, { isSignedUp = true } = {}) => {
  const options = { appSecret: server.secret, tokens: storeOf() };
  const [humon, direct] = [new Humon(proxy.url, options), new Humon(server.url, options)];
  if (isSignedUp) await direct.signUp();
  return { humon, direct, tokens: options.tokens };
};

/** Returns the client of another user. */
const stranger = async () => {
  const humon = new Humon(server.url, { appSecret: server.secret, tokens: storeOf() });
  await humon.signUp();
  return humon;
};

const signedIn = ({ direct }) => direct.signIn({ idToken: idToken(`person ${number += 1}`) });

// What happens before each operation, the operation, and what the server must have afterwards.
const operations = {
  signUp: {
    options: { isSignedUp: false },
    call: ({ humon }) => humon.signUp(),
    check: async ({ direct }, { id }) => assert.equal((await direct.me()).id, id),
  },
  signIn: {
    options: { isSignedUp: false },
    call: ({ humon }) => humon.signIn({ idToken: idToken(`new ${number += 1}`) }),
    check: async ({ direct }) => assert.equal((await direct.devices()).length, 1),
  },
  signOut: {
    prepare: signedIn,
    call: ({ humon }) => humon.signOut(),
    check: ({ tokens }) => assert.equal(tokens.text, null),
  },
  rotateToken: {
    isOnce: true,
    call: ({ humon }) => humon.rotateToken(),
    check: ({ direct }) => direct.me(),
  },
  me: { call: ({ humon }) => humon.me() },
  rename: {
    call: ({ humon }) => humon.rename('Ana'),
    check: async ({ direct }) => assert.equal((await direct.me()).name, 'Ana'),
  },
  devices: { call: ({ humon }) => humon.devices() },
  renameDevice: {
    prepare: async ({ direct }) => (await direct.devices())[0].id,
    call: ({ humon }, id) => humon.renameDevice(id, 'Phone'),
    check: async ({ direct }) => assert.equal((await direct.devices())[0].name, 'Phone'),
  },
  endDevice: {
    prepare: async (own) => {
      const token = idToken(`twice ${number += 1}`);
      await new Humon(server.url, { tokens: storeOf() }).signIn({ idToken: token });
      await own.direct.signIn({ idToken: token });
      return (await own.direct.devices()).find(({ current }) => !current).id;
    },
    call: ({ humon }, id) => humon.endDevice(id),
    check: async ({ direct }) => assert.equal((await direct.devices()).length, 1),
  },
  identities: { prepare: signedIn, call: ({ humon }) => humon.identities() },
  addIdentity: {
    prepare: signedIn,
    call: ({ humon }) => humon.addIdentity({ idToken: idToken(`second ${number += 1}`) }),
    check: async ({ direct }) => assert.equal((await direct.identities()).length, 2),
  },
  removeIdentity: {
    prepare: async (own) => {
      await signedIn(own);
      return own.direct.addIdentity({ idToken: idToken(`removed ${number += 1}`) });
    },
    call: ({ humon }, id) => humon.removeIdentity(id),
    check: async ({ direct }) => assert.equal((await direct.identities()).length, 1),
  },
  deletionCode: { isOnce: true, call: ({ humon }) => humon.deletionCode() },
  deleteMe: {
    call: ({ humon }) => humon.deleteMe(),
    check: ({ tokens }) => assert.equal(tokens.text, null),
  },
  'events.page': { call: ({ humon }) => humon.events.page({ owner: 'me' }) },
  'events.clusters': {
    call: ({ humon }) => humon.events.clusters({ bbox: [3, 51, 4, 52], zoom: 5 }),
  },
  'events.get': {
    prepare: ({ direct }) => direct.events.create(jazz),
    call: ({ humon }, id) => humon.events.get(id),
  },
  'events.create': {
    call: ({ humon }) => humon.events.create(jazz),
    check: async ({ direct }, id) => {
      const { events } = await direct.events.page({ owner: 'me' });
      assert.deepEqual(events.map((event) => event.id), [id]);
    },
  },
  'events.update': {
    prepare: async ({ direct }) => {
      const id = await direct.events.create(jazz);
      return { id, ifMatch: (await direct.events.get(id)).version };
    },
    call: ({ humon }, { id, ifMatch }) => humon.events.update(id, { name: 'Jazz' }, { ifMatch }),
    check: async ({ direct }, id) => assert.equal((await direct.events.get(id)).name, 'Jazz'),
  },
  'events.replace': {
    prepare: async ({ direct }) => {
      const id = await direct.events.create({ ...jazz, description: 'Old' });
      return { id, ifMatch: (await direct.events.get(id)).version };
    },
    call: ({ humon }, { id, ifMatch }) => humon.events.replace(id, jazz, { ifMatch }),
    check: async ({ direct }, id) =>
      assert.equal((await direct.events.get(id)).description, undefined),
  },
  'events.delete': {
    prepare: ({ direct }) => direct.events.create(jazz),
    call: ({ humon }, id) => humon.events.delete(id),
    check: async ({ direct }) => assert.equal((await direct.me()).events, 0),
  },
  'events.invite': {
    isOnce: true,
    prepare: ({ direct }) => direct.events.create({ ...jazz, visibility: 'private' }),
    call: ({ humon }, id) => humon.events.invite(id),
    check: async (_, code) => (await stranger()).attendances.join(code),
  },
  'events.closeInvitations': {
    prepare: async ({ direct }) => {
      const id = await direct.events.create({ ...jazz, visibility: 'private' });
      return { id, code: await direct.events.invite(id) };
    },
    call: async ({ humon }, { id, code }) => {
      await humon.events.closeInvitations(id);
      return code;
    },
    check: async (_, code) => fails('notFound', (await stranger()).attendances.join(code)),
  },
  'attendances.attend': {
    prepare: async () => (await stranger()).events.create(jazz),
    call: ({ humon }, id) => humon.attendances.attend(id),
    check: async ({ direct }) => assert.equal((await direct.me()).attendances, 1),
  },
  'attendances.join': {
    prepare: async () => {
      const owner = await stranger();
      return owner.events.invite(await owner.events.create({ ...jazz, visibility: 'private' }));
    },
    call: ({ humon }, code) => humon.attendances.join(code),
    check: async ({ direct }) => assert.equal((await direct.me()).attendances, 1),
  },
  'attendances.cancel': {
    prepare: async ({ direct }) =>
      direct.attendances.attend(await (await stranger()).events.create(jazz)),
    call: ({ humon }, id) => humon.attendances.cancel(id),
    check: async ({ direct }) => assert.equal((await direct.me()).attendances, 0),
  },
  'attendances.list': {
    prepare: ({ direct }) => direct.events.create(jazz),
    call: ({ humon }, id) => humon.attendances.list(id),
  },
  'reports.event': {
    prepare: async () => (await stranger()).events.create(jazz),
    call: ({ humon }, id) => humon.reports.event(id, { reason: 'spam' }),
  },
  'reports.user': {
    prepare: async () => (await (await stranger()).me()).id,
    call: ({ humon }, id) => humon.reports.user(id, { reason: 'spam' }),
  },
  'blocks.add': {
    prepare: async () => (await (await stranger()).me()).id,
    call: ({ humon }, id) => humon.blocks.add({ user: { id } }),
    check: async ({ direct }, id) =>
      assert.deepEqual((await direct.blocks.list()).map(({ user }) => user.id), [id]),
  },
  'blocks.remove': {
    prepare: async ({ direct }) => {
      const { id } = await (await stranger()).me();
      return direct.blocks.add({ user: { id } });
    },
    call: ({ humon }, id) => humon.blocks.remove(id),
    check: async ({ direct }) => assert.deepEqual(await direct.blocks.list(), []),
  },
  'blocks.list': { call: ({ humon }) => humon.blocks.list() },
  'changes.page': { call: ({ humon }) => humon.changes.page({ mine: 1 }) },
};

// What each fault becomes: nothing if the operation is repeated, and otherwise an error.
const faults = {
  pass: {},
  'close-idle': {},
  'drop-before': { kind: 'network', isPassing: true },
  'drop-after': { kind: 'network', isPassing: true },
  'cut 20': { kind: 'network', isPassing: true },
  '503 0': { kind: 'unavailable', isPassing: true },
  '429 0': { kind: 'rateLimited', isPassing: true },
  500: { kind: 'server' },
  redirect: { kind: 'redirected' },
  empty: { kind: 'decoding' },
  html: { kind: 'decoding' },
};

test('Every operation survives every fault, or says what went wrong', { concurrency: true }, async (t) => {
  const names = Humon.operations.map(({ name }) => name).filter((name) => name !== 'changes.stream');
  assert.deepEqual(Object.keys(operations).filter((name) => name !== 'signOut').sort(), names.sort());
  const tests = Object.entries(faults).map(([fault, { kind, isPassing }]) => t.test(fault, async () => {
    const proxy = await startProxy(server);
    for (const [name, { options, prepare, call, check, isOnce }] of Object.entries(operations)) {
      const own = await devices(proxy, options);
      const prepared = await prepare?.(own);
      await proxy.fail(fault);

      const isError = kind && !(isPassing && !isOnce);
      const work = call(own, prepared);
      try {
        const result = isError ? await fails(kind, work) : await work;
        if (!isError) await check?.(own, result);
      } catch (error) {
        error.message = `${name} after ${fault}: ${error.message}`;
        throw error;
      }

      const { requests, other } = await proxy.requests();
      assert.deepEqual(other, [], name);
      // Signing out is two requests.
      const count = (isPassing && !isOnce ? 2 : 1) + (name === 'signOut' && !isError ? 1 : 0);
      assert.equal(requests.length, count, `${name} after ${fault}`);
      const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
      assert.equal(keys.size, 1, `${name} after ${fault}`);
    }
  }));
  await Promise.all(tests);
});

test('A sign-out whose response is lost has happened', async () => {
  const proxy = await startProxy(server);
  const own = await devices(proxy);
  await signedIn(own);
  await proxy.fail('GET pass', 'DELETE drop-after');

  await own.humon.signOut();

  assert.equal(own.tokens.text, null);
});

test('No write is stored twice', async (t) => {
  const proxy = await startProxy(server);
  t.diagnostic(`seed ${proxy.seed}`);
  const { humon, direct } = await devices(proxy);
  await proxy.failOften(40);
  const names = Array.from({ length: 80 }, (_, index) => `Event ${index}`);
  const stored = new Map();

  await Promise.all(names.map(async (name) => {
    try {
      const id = await humon.events.create({ ...jazz, name });
      stored.set(name, id);
      await humon.events.update(id, { address: name });
    } catch (error) {
      assert.ok(error instanceof HumonError, error.stack);
    }
  }));

  await proxy.failOften(0);
  const events = await all(direct.events.search({ owner: 'me' }));
  const found = events.map(({ name }) => name);
  assert.equal(new Set(found).size, found.length);
  for (const [name, id] of stored) assert.equal(events.find((event) => event.id === id)?.name, name);
  assert.ok(stored.size > 40, `${stored.size}`);
  const { requests, other } = await proxy.requests();
  assert.deepEqual(other, []);
  assert.ok(requests.length > 100);
});

test('Nothing waits longer than the time', async () => {
  const proxy = await startProxy(server);
  const tokens = storeOf();
  const humon = new Humon(proxy.url, { appSecret: server.secret, tokens, timeout: 500 });
  await new Humon(server.url, { appSecret: server.secret, tokens }).signUp();

  for (const fault of ['delay 60000', 'delay-after 60000', 'trickle-stall 5', 'trickle-stall 300']) {
    await proxy.fail(fault, 'pass');
    await fails('timeout', humon.events.page({ owner: 'me' }));
    await proxy.fail();
  }
  await proxy.fail('503 3600');
  assert.equal((await fails('unavailable', humon.me())).retryAfter, 3600);
});

test('A stream survives cuts', async () => {
  const proxy = await startProxy(server);
  const { humon, direct } = await devices(proxy);
  await proxy.fail('cut 700', '503 0');
  const events = new Set();
  const id = await direct.events.create(jazz);
  let later;

  for await (const { event, data } of humon.changes.stream({ mine: 1 })) {
    if (data?.op === 'enter' || data?.op === 'change') events.add(data.id);
    if (event === 'ready' && !later) later = direct.events.create(jazz);
    if (events.size === 2) break;
  }

  assert.deepEqual([...events], [id, await later]);
});
