// Every operation, against a server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Humon, all, fails, failsSoon, idToken, jazz, source, startServer, storeOf,
} from './support.mjs';

const server = await startServer('--stream-heartbeat-s', '1');
const called = new Set();

/** Returns the client of a device, which notes the operations that are sent. */
const device = (text = null) => new Humon(`${server.url}/`, {
  appSecret: server.secret,
  tokens: storeOf(text),
  fetch(url, request) {
    const { pathname } = new URL(url);
    for (const { name, method, path } of Humon.operations) {
      const pattern = new RegExp(`^${path.replace(/:\w+/, '(\\d+|current)')}$`);
      if (method === request.method && pattern.test(pathname)) called.add(name);
    }
    return fetch(url, request);
  },
});

const user = async () => {
  const humon = device();
  await humon.signUp();
  return humon;
};

test('The server serves this client', async () => {
  const response = await fetch(`${server.url}/humon.js`);

  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(await response.text(), source);
});

test('A device has one user', async () => {
  const humon = device();

  const [first, second] = await Promise.all([humon.signUp(), humon.signUp()]);

  assert.deepEqual(second, first);
  assert.deepEqual(await humon.me(), { ...first, events: 0, attendances: 0 });
});

test('A wrong secret is notFound, and none is noAppSecret', async () => {
  await fails('notFound', new Humon(server.url, { appSecret: 'wrong', tokens: storeOf() }).signUp());
  await fails('noAppSecret', new Humon(server.url, { tokens: storeOf() }).signUp());
});

test('A person signs in on two devices', async () => {
  const [first, second] = [device(), device()];
  const made = await first.signIn({ idToken: idToken('ana'), deviceName: 'Phone' });
  const known = await second.signIn({ idToken: idToken('ana') });

  assert.deepEqual([made.result, known.result], ['created', 'signed_in']);
  assert.deepEqual((await second.me()).issuers, ['https://issuer.test']);
  const devices = await second.devices();
  assert.deepEqual(devices.map(({ name, current }) => [name, current]), [[null, true], ['Phone', false]]);
  assert.equal(await second.renameDevice(devices[1].id, 'Old phone'), devices[1].id);
  assert.equal((await second.devices())[1].name, 'Old phone');

  await second.endDevice(devices[1].id);
  await fails('unauthorized', first.me());
  await fails('noToken', first.me());
  await second.signOut();
  await fails('noToken', second.me());
  await second.signOut();
});

test('A sign-in asks whether to merge', async () => {
  await device().signIn({ idToken: idToken('bob') });
  const humon = await user();
  const id = await humon.events.create(jazz);
  const own = await humon.me();

  const error = await fails('conflict', humon.signIn({ idToken: idToken('bob') }));

  assert.equal(error.status, 409);
  assert.deepEqual(error.device, { id: own.id, events: 1, attendances: 0 });
  const left = device(humon.tokenText);
  const merged = await humon.signIn({ idToken: idToken('bob'), merge: true });
  assert.deepEqual([merged.result, merged.id], ['merged', error.user.id]);
  assert.equal((await humon.events.get(id)).owner.id, error.user.id);
  const other = await user();
  await other.events.create(jazz);
  const signedIn = await other.signIn({ idToken: idToken('bob'), merge: false });
  assert.deepEqual([signedIn.result, signedIn.id], ['signed_in', error.user.id]);
  await fails('noToken', left.me());
});

test('A failed sign-in signs nobody out', async () => {
  const humon = await user();

  const error = await fails('validationFailed', humon.signIn({ idToken: idToken('ana', { exp: 1 }) }));

  assert.equal(error.message, 'Id token has expired');
  await humon.me();
});

test('Signing out without an identity must be meant', async () => {
  const humon = await user();

  await fails('wouldLoseUser', humon.signOut());
  await humon.me();
  await humon.signOut({ losingUser: true });

  await fails('noToken', humon.me());
});

test('A new token replaces the old one', async () => {
  const tokens = storeOf();
  const humon = new Humon(server.url, { appSecret: server.secret, tokens });
  const { id } = await humon.signUp();
  const old = tokens.text;

  assert.deepEqual(await device(old).rotateToken(), { id });
  assert.deepEqual(await humon.rotateToken(), { id });

  assert.notEqual(tokens.text, old);
  assert.equal((await humon.me()).id, id);
  // The server stores the use of the new token beside the request, and then ends the old one.
  await failsSoon('unauthorized', () => device(old).me());
});

test('A user has a name and identities', async () => {
  const humon = device();
  await humon.signIn({ idToken: idToken('carla') });

  assert.equal((await humon.rename('Carla')).name, 'Carla');
  assert.equal((await humon.rename(null)).name, undefined);
  const added = await humon.addIdentity({ idToken: idToken('carla at work') });
  const identities = await humon.identities();
  assert.deepEqual(identities.map(({ issuer }) => issuer), Array(2).fill('https://issuer.test'));
  assert.equal(identities[1].id, added);
  assert.equal(await humon.removeIdentity(added), undefined);
  await fails('conflict', humon.removeIdentity(identities[0].id));
});

test('A user can be deleted, also without the app', async () => {
  const humon = await user();

  const { code, url } = await humon.deletionCode();
  assert.match(code, /^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/);
  assert.equal(url, `${server.url}/account/delete`);
  await humon.deleteMe();

  await fails('noToken', humon.me());
});

test('An event is created, read, changed, replaced and deleted', async () => {
  const humon = await user();
  const draft = {
    ...jazz, tags: ['jazz'], data: { price: 5.5, seats: [1, 2] }, description: 'Fête 🎈',
  };

  const id = await humon.events.create(draft);
  const event = await humon.events.get(id);
  const { id: owner } = await humon.me();
  const read = { address: null, ended_at: null, id, owner: { id: owner }, ...draft };
  assert.deepEqual(event, { ...read, version: event.version });
  assert.match(event.version, /^[-\w]{11}$/);

  await humon.events.update(id, { name: 'Jazz', tags: null }, { ifMatch: event.version });
  await fails('preconditionFailed', humon.events.update(id, draft, { ifMatch: event.version }));
  await fails('preconditionFailed', humon.events.replace(id, draft, { ifMatch: `"${event.version}"` }));
  await fails('preconditionFailed', humon.events.delete(id, { ifMatch: event.version }));
  assert.equal(await humon.events.replace(id, jazz, { ifMatch: '*' }), id);
  const replaced = await humon.events.get(id);
  assert.deepEqual([replaced.name, replaced.data], ['Late jazz', undefined]);

  assert.equal(await humon.events.delete(id), undefined);
  await fails('notFound', humon.events.get(id));
  await fails('notFound', humon.events.delete(id));
});

test('Errors have a kind, a sentence and the id of the request', async () => {
  const [humon, other] = [await user(), await user()];
  const id = await humon.events.create(jazz);

  const error = await fails('validationFailed', humon.events.create({ name: 'Jazz', lon: 1 }));
  assert.deepEqual(error.errors, ["Lat can't be blank", "Started at can't be blank"]);
  assert.equal(error.message, "Lat can't be blank");
  assert.equal(error.status, 422);
  assert.match(error.requestID, /\w+/);
  assert.equal((await fails('badRequest', humon.events.update(id, {}))).status, 400);
  assert.equal((await fails('forbidden', other.events.delete(id))).message, 'Forbidden');
  const long = { ...jazz, description: 'a'.repeat(2 << 20) };
  await fails('tooLarge', humon.events.create(long));
  await fails('gone', humon.changes.page({ mine: 1, since: '00000000-1-0000' }));
  await fails('unauthorized', device('unknown').events.page({ owner: 'me' }));
  await fails('noToken', device().events.create(jazz));
  await fails('validationFailed', device().events.page({ raduis: 5 }));
});

test('A search returns the events of all pages', async () => {
  const humon = await user();
  const ids = [];
  for (let number = 0; number < 7; number += 1) {
    const started_at = new Date(Date.UTC(2036, 0, number + 1)).toISOString();
    ids.push(await humon.events.create({
      name: `Day ${number}`, lat: -33 - number / 1e7, lon: 151.2, started_at, category: 'days',
      tags: number % 2 ? ['odd', 'a b'] : ['even', 'a b'],
    }));
  }
  const query = { owner: 'me', limit: 3, sort: 'started_at' };
  const names = async (query) => (await all(humon.events.search(query))).map(({ id }) => id);

  assert.deepEqual(await names(query), ids);
  const pages = await all(humon.events.search(query).pages);
  assert.deepEqual(pages.map(({ events }) => events.length), [3, 3, 1]);
  assert.deepEqual(await names({ ...query, cursor: pages[0].next }), ids.slice(3));
  const page = await humon.events.page({ near: [-33, 151.2], units: 'm', radius: 0.001, fields: ['id', 'distance'] });
  assert.deepEqual(page, { events: [{ id: ids[0], distance: 0, }], next: null });
  const range = { from: new Date(Date.UTC(2036, 0, 2)), to: new Date(Date.UTC(2036, 0, 4)) };
  assert.deepEqual(await names({ ...query, ...range, ongoing: false }), ids.slice(1, 3));
  assert.deepEqual(await names({ ...query, category: ['music', 'days'], q: undefined }), ids);
  assert.deepEqual(await names({ ...query, tag: ['odd', 'even'] }), ids);
  const odd = ids.filter((_, number) => number % 2);
  assert.deepEqual(await names({ ...query, tag: [['odd'], ['a b', 'c']] }), odd);
  assert.deepEqual(await names({ ...query, within: [[151, -34], [152, -34], [152, -32], [151, -32]] }), ids);
  assert.deepEqual(await names({ ...query, bbox: [0, 0, 1, 1] }), []);
  const clusters = await humon.events.clusters({ bbox: [151, -34, 152, -32], zoom: 5, owner: 'me' });
  assert.deepEqual(clusters.map(({ count }) => count), [7]);
  for await (const event of humon.events.search({ ...query, limit: 1 })) {
    assert.equal(event.id, ids[0]);
    break;
  }
});

test('Guests join a private event with a code', async () => {
  const [humon, guest] = [await user(), await user()];
  const id = await humon.events.create({ ...jazz, visibility: 'private' });
  await fails('notFound', guest.events.get(id));

  const code = await humon.events.invite(id);
  const attendance = await guest.attendances.join(code);
  assert.deepEqual(attendance.event, { id });
  assert.equal((await guest.events.get(id)).name, 'Late jazz');
  const { id: own } = await guest.me();
  const attendances = [{ id: attendance.id, user: { id: own } }];
  assert.deepEqual(await guest.attendances.list(id), { count: 1, attendances });
  assert.equal(await guest.attendances.cancel(attendance.id), undefined);
  await fails('notFound', guest.events.get(id));

  await humon.events.invite(id, { replace: true });
  await fails('notFound', guest.attendances.join(code));
  const last = await humon.events.invite(id, {});
  assert.equal(await humon.events.closeInvitations(id), undefined);
  await fails('notFound', guest.attendances.join(last));
});

test('A user attends an event once', async () => {
  const [humon, guest] = [await user(), await user()];
  const id = await humon.events.create(jazz);

  const attendance = await guest.attendances.attend(id);

  assert.equal(await guest.attendances.attend(id), attendance);
  assert.equal((await guest.me()).attendances, 1);
  await fails('notFound', guest.attendances.attend(1e9));
});

test('The token of reads hides blocked users', async () => {
  const [humon, other, third] = [await user(), await user(), await user()];
  const [{ id: owner }, { id: next }] = [await other.me(), await third.me()];
  const id = await other.events.create(jazz);
  assert.ok(Number.isInteger(await humon.reports.event(id, { reason: 'spam', note: 'Watches' })));
  assert.ok(Number.isInteger(await humon.reports.user(owner, { reason: 'other' })));
  await fails('validationFailed', humon.reports.user(owner, { reason: 'boring' }));

  assert.equal(await humon.blocks.add({ event: { id } }), owner);
  assert.equal(await humon.blocks.add({ user: { id: next } }), next);

  await fails('notFound', humon.events.get(id));
  assert.deepEqual((await humon.blocks.list()).map(({ user }) => user.id), [owner, next]);
  assert.equal(await humon.blocks.remove(owner), undefined);
  assert.equal((await humon.events.get(id)).id, id);
  await fails('notFound', humon.blocks.remove(owner));
});

test('Pages of changes continue from a cursor', async () => {
  const humon = await user();
  const { cursor } = await humon.changes.page({ mine: 1 });
  const waiting = humon.changes.page({ mine: 1, since: cursor, wait: 30 });
  const id = await humon.events.create(jazz);

  const page = await waiting;

  assert.deepEqual(page.changes.map(({ type, id }) => [type, id]), [['event', id]]);
  assert.equal(page.changes[0].version, (await humon.events.get(id)).version);
});

test('A stream returns changes as they happen, until it is cancelled', async () => {
  const humon = await user();
  const id = await humon.events.create(jazz);
  const controller = new AbortController();
  const seen = [];
  const stream = humon.changes.stream({ mine: 1 }, { signal: controller.signal });

  const reading = (async () => {
    for await (const { event, cursor, data } of stream) {
      seen.push([event, data.op, data.id]);
      assert.match(cursor, /^[0-9a-f]{8}-/);
      if (event === 'ready') await humon.events.delete(id);
      if (data.op === 'leave') controller.abort();
    }
  })();

  await fails('cancelled', reading);
  assert.deepEqual(seen, [
    ['reset', undefined, undefined], ['change', 'enter', id], ['ready', undefined, undefined],
    ['change', 'leave', id],
  ]);
});

test('A stream ends when its token does', async () => {
  const humon = await user();
  const [{ id }] = await humon.devices();
  const seen = [];

  for await (const { event, data } of humon.changes.stream({ mine: 1, since: 'now' })) {
    // The others are only cursors.
    if (event) seen.push([event, typeof data.message]);
    if (event === 'ready') await humon.endDevice(id);
  }

  assert.deepEqual(seen, [['ready', 'undefined'], ['end', 'string']]);
  await fails('unauthorized', all(humon.changes.stream({ mine: 1 })));
});

test('A client without random numbers reads and writes', async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  try {
    const humon = await user();
    const id = await humon.events.create(jazz);
    assert.equal((await humon.events.get(id)).id, id);
    await humon.signIn({ idToken: idToken('without') });
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
});

test('Each operation was called, and each route has an operation', async () => {
  const reasons = {
    'GET /v1/events/nearests': 'for published apps: events.page can do more',
    'GET /v1/events/nearest': 'for published apps: events.page can do more',
    'GET /v1/events/:id.ics': 'a file',
    'GET /v1/events/:id.geojson': 'a file',
    'GET /v1/events.geojson': 'another format of events.page',
    'GET /v1/events.ics': 'another format of events.page',
    'GET /v1/events.atom': 'another format of events.page',
    'GET /v1/events.csv': 'another format of events.page',
    'GET /v1/events.txt': 'another format of events.page',
  };
  const { paths } = await (await fetch(`${server.url}/openapi.json?system=humon`)).json();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) =>
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`));
  const has = Humon.operations.map(({ method, path }) => `${method} ${path}`);

  assert.deepEqual([...new Set([...has, ...Object.keys(reasons)])].sort(), described.sort());
  assert.deepEqual(Humon.operations.map(({ name }) => name).filter((name) => !called.has(name)), []);
});
