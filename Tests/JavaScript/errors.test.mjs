// Errors, repetitions, tokens and addresses, against servers that respond as the tests say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Humon, HumonError, all, fails, jazz, startStub, storeOf } from './support.mjs';

/** Returns a client of a stub, and the requests that it gets. */
const connect = async (respond, options = {}) => {
  const { url, requests } = await startStub(respond);
  const tokens = options.tokens ?? storeOf('token');
  return { humon: new Humon(url, { tokens, ...options }), requests, tokens, url };
};

/** Runs the work with waits that end at once, and returns how long they would have been. */
const withoutWaits = async (work) => {
  const { setTimeout } = globalThis;
  const waits = [];
  globalThis.setTimeout = (end, milliseconds, ...rest) => {
    // fetch has timers of its own, and the others limit the time of requests.
    const isOwn = new Error().stack.includes('humon.mjs');
    const isWait = isOwn && milliseconds < 600_000 && milliseconds !== 45_000;
    if (isWait) waits.push(milliseconds / 1000);
    return setTimeout(end, isWait ? 0 : milliseconds, ...rest);
  };
  try {
    await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return waits;
};
const patient = { timeout: 1_000_000 };

test('Each status has a kind', async () => {
  const kinds = {
    400: 'badRequest', 401: 'unauthorized', 403: 'forbidden', 404: 'notFound', 405: 'notFound',
    409: 'conflict', 410: 'gone', 412: 'preconditionFailed', 413: 'tooLarge', 414: 'tooLarge',
    415: 'server', 421: 'server', 422: 'validationFailed', 431: 'tooLarge', 500: 'server',
    501: 'server', 505: 'server',
  };
  for (const [status, kind] of Object.entries(kinds)) {
    const body = { message: 'Sentence.', errors: status === '422' ? ['First', 'Second'] : undefined };
    const { humon, requests } = await connect(() => [Number(status), body, { 'X-Request-Id': 'a1' }]);

    const error = await fails(kind, humon.me());

    assert.equal(error.message, status === '422' ? 'First' : 'Sentence.');
    assert.deepEqual(error.errors, status === '422' ? ['First', 'Second'] : []);
    assert.deepEqual([error.status, error.requestID, error.name], [Number(status), 'a1', 'HumonError']);
    // Node's fetch itself repeats a 421.
    assert.equal(requests.length, status === '421' && !globalThis.Deno ? 2 : 1);
  }
});

test('Passing failures are repeated three times, with growing pauses', async () => {
  const kinds = {
    408: 'timeout', 429: 'rateLimited', 502: 'unavailable', 503: 'unavailable', 504: 'unavailable',
  };
  for (const [status, kind] of Object.entries(kinds)) {
    const { humon, requests } = await connect(() => [Number(status)], patient);

    const waits = await withoutWaits(() => fails(kind, humon.events.create(jazz)));

    assert.equal(requests.length, 4);
    assert.equal(waits.length, 3);
    waits.forEach((wait, number) => {
      assert.ok(wait >= 0.25 * 2 ** number && wait <= 0.5 * 2 ** number, `${waits}`);
    });
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    assert.equal(keys.size, 1);
    assert.match([...keys][0], /^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"$/);
    assert.deepEqual(new Set(requests.map(({ body }) => body)), new Set([JSON.stringify(jazz)]));
  }
});

test('A pause is at least that of the server', async () => {
  const date = new Date(Date.now() + 100_000).toUTCString();
  for (const [field, least, most] of [['7', 7, 7], [date, 98, 101], ['0', 0.25, 0.5], ['x', 0.25, 0.5]]) {
    const { humon } = await connect(
      (number) => (number === 1 ? [503, {}, { 'Retry-After': field }] : [200, { id: 1 }]), patient,
    );

    const waits = await withoutWaits(() => humon.me());

    assert.equal(waits.length, 1);
    assert.ok(waits[0] >= least && waits[0] <= most, `${field}: ${waits}`);
  }
});

test('A pause that would be longer than the time left is an error at once', async () => {
  const { humon, requests } = await connect(() => [429, {}, { 'Retry-After': '60' }]);

  const error = await fails('rateLimited', humon.me());

  assert.deepEqual([error.retryAfter, requests.length], [60, 1]);
});

test('The time is that of all attempts', async () => {
  const { humon } = await connect(() => new Promise(() => {}), { timeout: 50 });
  await fails('timeout', humon.me());

  const { humon: other, requests } = await connect(
    (number) => (number === 1 ? [503] : new Promise(() => {})), { timeout: 1000 },
  );
  await fails('timeout', other.me());
  assert.equal(requests.length, 2);
});

test('A request that waits for changes has as much more time', async () => {
  const { humon } = await connect(
    () => new Promise((resolve) => setTimeout(resolve, 300, [200, { changes: [] }])), { timeout: 50 },
  );

  await humon.changes.page({ mine: 1, wait: 30 });
});

test('Some operations are sent once', async () => {
  for (const call of [
    (humon) => humon.rotateToken(), (humon) => humon.deletionCode(), (humon) => humon.events.invite(1),
  ]) {
    const { humon, requests } = await connect(() => [503], patient);
    await fails('unavailable', call(humon));
    assert.equal(requests.length, 1);
  }
});

test('Writes are sent once where there are no random numbers', async () => {
  const { humon, requests } = await connect(() => [503], patient);
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  try {
    await fails('unavailable', humon.events.create(jazz));
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
  assert.equal(requests.length, 1);
  assert.equal(requests[0].headers['idempotency-key'], undefined);
});

test('A deletion that was repeated may find nothing', async () => {
  const deletions = [
    [404, (humon) => humon.events.delete(1)], [404, (humon) => humon.attendances.cancel(1)],
    [404, (humon) => humon.endDevice(1)], [404, (humon) => humon.removeIdentity(1)],
    [404, (humon) => humon.blocks.remove(1)], [401, (humon) => humon.deleteMe()],
  ];
  for (const [status, call] of deletions) {
    const body = { message: 'Gone' };
    const { humon, tokens } = await connect(
      (number) => (number === 1 ? [503] : [status, body]), patient,
    );
    await withoutWaits(() => call(humon));
    assert.equal(tokens.text, status === 401 ? null : 'token');

    // The page of a proxy says nothing about the record.
    const { humon: behind } = await connect((number) => [number === 1 ? 503 : status], patient);
    await withoutWaits(() => fails(status === 401 ? 'unauthorized' : 'notFound', call(behind)));

    const { humon: other } = await connect(() => [status]);
    await fails(status === 401 ? 'unauthorized' : 'notFound', call(other));
  }
});

test('A connection that breaks is network', async () => {
  const { humon } = await connect(() => [200], {
    ...patient, fetch: () => Promise.reject(new TypeError('fetch failed')),
  });

  const waits = await withoutWaits(async () => {
    const error = await fails('network', humon.events.page());
    assert.equal(error.cause.message, 'fetch failed');
  });

  assert.equal(waits.length, 3);
});

test('What is not Humon\'s is decoding, and not repeated', async () => {
  for (const body of ['', '<!doctype html>', '[', 'null', '"text"', '{"events":[']) {
    const { humon, requests } = await connect(() => [200, body], patient);
    assert.equal((await fails('decoding', humon.events.page())).status, 200);
    await fails('decoding', humon.events.delete(1));
    assert.equal(requests.length, 2);
  }
  const { humon } = await connect(() => [200, {}]);
  await fails('decoding', humon.events.delete(1));
  const { humon: gateway } = await connect(() => [403, '<h1>Blocked</h1>']);
  assert.equal((await fails('forbidden', gateway.me())).message, 'The server responded with 403.');
});

test('Redirects are refused', async () => {
  const other = await startStub(() => [200]);
  for (const status of [301, 302, 303, 307, 308]) {
    const { humon, requests } = await connect(() => [status, '', { Location: other.url }], patient);
    await fails('redirected', humon.me());
    await fails('redirected', humon.events.create(jazz));
    assert.equal(requests.length, 2);
  }
  assert.deepEqual(other.requests, []);
  // As in browsers and React Native.
  for (const response of [{ type: 'opaqueredirect', status: 0 }, { status: 200, redirected: true }]) {
    const { humon } = await connect(() => [200], { fetch: async () => response });
    await fails('redirected', humon.me());
  }
});

test('Every call can be cancelled', async () => {
  const { humon, requests } = await connect(() => new Promise(() => {}), patient);
  const controller = new AbortController();
  const work = humon.me({ signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await fails('cancelled', work);
  const count = requests.length;
  await fails('cancelled', humon.events.create(jazz, { signal: controller.signal }));
  await fails('cancelled', all(humon.events.search({}, { signal: controller.signal })));
  await fails('cancelled', all(humon.changes.stream({}, { signal: controller.signal })));
  assert.equal(requests.length, count);

  const { humon: busy } = await connect(() => [503, {}, { 'Retry-After': '500' }], patient);
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(), 50);
  await fails('cancelled', busy.me({ signal: waiting.signal }));
});

test('The token is sent with every request, and with a trace', async () => {
  const { humon, requests } = await connect(
    () => [200, { events: [], next: null }], { traceparent: () => '00-a-b-01' },
  );

  await humon.events.page();
  await humon.events.get(1);

  for (const { headers } of requests) {
    assert.equal(headers['tb-auth-token'], 'token');
    assert.equal(headers.traceparent, '00-a-b-01');
    assert.equal(headers.cookie, undefined);
  }
});

test('An empty page with a cursor goes on, and each event comes once', async () => {
  const pages = [
    { events: [{ id: 1 }, { id: 2 }], next: 'a' }, { events: [], next: 'b' },
    { events: [{ id: 2 }, { id: 3 }], next: null },
  ];
  const { humon, requests } = await connect((number) => [200, pages[(number - 1) % 3]]);

  const events = await all(humon.events.search({ owner: 3 }));

  assert.deepEqual(events.map(({ id }) => id), [1, 2, 3]);
  assert.deepEqual(requests.map(({ url }) => url), [
    '/v1/events?limit=100&owner=3', '/v1/events?limit=100&owner=3&cursor=a',
    '/v1/events?limit=100&owner=3&cursor=b',
  ]);
  assert.equal((await all(humon.events.search().pages)).length, 3);
});

const unauthorized = { message: 'Unauthorized' };

test('A 401 removes the token only if it is still the same', async () => {
  const tokens = storeOf('old\npending');
  const { humon } = await connect((number) => [401, number > 1 && unauthorized], { tokens });
  await fails('unauthorized', humon.me());
  // It was the page of a proxy.
  assert.equal(tokens.text, 'old\npending');
  await fails('unauthorized', humon.me());
  assert.equal(tokens.text, '\npending');
  await fails('noToken', humon.me());

  const changing = storeOf('old');
  const { humon: other } = await connect(() => {
    changing.text = 'new';
    return [401, unauthorized];
  }, { tokens: changing });
  await fails('unauthorized', other.me());
  assert.equal(changing.text, 'new');
});

test('A store that fails is tokenStore, and signs nobody out', async () => {
  const locked = () => { throw new Error('locked'); };
  for (const tokens of [
    { get: locked }, { get: () => null, set: locked },
    { get: async () => null, set: async () => locked() },
  ]) {
    const { humon, requests } = await connect(() => [200, { id: 1 }], { tokens, appSecret: 'a' });
    const error = await fails('tokenStore', humon.signUp());
    assert.equal(error.cause.message, 'locked');
    await fails('tokenStore', humon.signIn({ idToken: 'a' }));
    assert.equal(requests.length, 0);
  }
  const tokens = { get: locked, remove: () => assert.fail('removed') };
  const { humon } = await connect(() => [401], { tokens });
  await fails('tokenStore', humon.me());
  await fails('tokenStore', humon.events.page());
});

test('A sign-in that was killed uses the same token', async () => {
  const tokens = storeOf('own');
  const { humon, requests } = await connect(
    (number) => (number < 3 ? [403] : [200, { auth_token: 'new', id: 1, result: 'signed_in' }]),
    { tokens },
  );
  await fails('forbidden', humon.signIn({ idToken: 'a', nonce: 'b', deviceName: 'c' }));
  assert.match(tokens.text, /^own\n[-0-9a-f]{36}$/);
  await fails('forbidden', humon.signIn({ idToken: 'a' }));
  await humon.signIn({ idToken: 'a', merge: true });

  assert.equal(tokens.text, 'new');
  const bodies = requests.map(({ body }) => JSON.parse(body));
  const [{ device_token }] = bodies;
  assert.deepEqual(bodies, [
    { id_token: 'a', nonce: 'b', device_token, device_name: 'c' }, { id_token: 'a', device_token },
    { id_token: 'a', device_token, merge: true },
  ]);
  assert.deepEqual(requests.map(({ headers }) => headers['tb-auth-token']), ['own', 'own', 'own']);
});

test('A sign-up that was killed uses the same token', async () => {
  const tokens = storeOf();
  const { humon, requests } = await connect(
    (number, { headers }) => (number === 1 ? [403] : [200, { device_token: headers['tb-device-token'], id: 7 }]),
    { tokens, appSecret: 'secret' },
  );
  await fails('forbidden', humon.signUp());
  // It isn't the user's yet.
  await fails('noToken', humon.me());
  assert.deepEqual(await humon.signUp(), { id: 7 });

  const [first, second] = requests.map(({ headers }) => headers['tb-device-token']);
  assert.equal(first, second);
  assert.equal(tokens.text, first);
});

test('Plain HTTP is refused, except to this machine', () => {
  for (const url of [
    'http://events.example.com', 'HTTP://events.example.com/', 'http://localhost@example.com',
    'http://127.example.com', 'http://local', 'http://localhost.example.com', 'ftp://localhost',
    'events.example.com', '', 'https://', 'https://a/?b', 'https://a b', 'http://example.com\\.local',
  ]) {
    assert.throws(() => new Humon(url), (error) =>
      error instanceof HumonError && error.kind === 'insecureURL', url);
  }
  for (const url of [
    'https://events.example.com', 'https://events.example.com:8443/humon/', 'http://localhost:3000',
    'http://127.0.0.1', 'http://127.1.2.3:3000', 'http://[::1]:3000', 'http://10.0.2.2:3000',
    'http://mac.local:3000/',
  ]) {
    assert.ok(new Humon(url), url);
  }
  assert.ok(new Humon('http://192.168.0.2', { allowsPlainHTTP: true }));
});

test('The token is in the browser\'s storage, else in memory', async () => {
  const stored = new Map();
  const localStorage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, text) => stored.set(name, text),
    removeItem: (name) => stored.delete(name),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
  const reply = (number, { headers }) => [200, { device_token: headers['tb-device-token'], id: 1 }];
  const { url } = await startStub(reply);
  try {
    await new Humon(`${url}/`, { appSecret: 'a' }).signUp();
    const [[name, text]] = stored;
    assert.equal(name, `humon:${url}`);
    assert.match(text, /^[-0-9a-f]{36}$/);
    await new Humon(url).me();
    Object.defineProperty(globalThis, 'localStorage', {
      get() { throw new Error('SecurityError'); }, configurable: true,
    });
    const humon = new Humon(url, { appSecret: 'a' });
    await fails('noToken', humon.me());
    await humon.signUp();
    await humon.me();
    await humon.signOut({ losingUser: true }).catch(() => {});
    Object.defineProperty(globalThis, 'localStorage', { value: {}, configurable: true });
    await fails('noToken', new Humon(url).me());
  } finally {
    delete globalThis.localStorage;
  }
});

test('A stream is opened again from its last cursor, and whatever follows a cut is ignored', async () => {
  const block = (event, id, data = {}) => `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
  const type = { 'Content-Type': 'text/event-stream' };
  // JSON has the line separator as it is.
  const separated = { id: 1, name: 'a\u2028b' };
  const responses = [
    [200, `retry: 700\n\n${block('ready', 'a')}id: b\n\nevent: change\nid: cut`, type],
    [503, {}, { 'Retry-After': '9' }],
    [200, `${block('change', 'c', separated)}${block('later', 'd')}event: end\ndata: {"message":"Bye"}\n\nid: e\n\n`, type],
  ];
  const { humon, requests } = await connect((number) => responses[number - 1]);
  let messages;

  const waits = await withoutWaits(async () => {
    messages = await all(humon.changes.stream({ mine: 1, since: 'now' }));
  });

  assert.deepEqual(messages.map(({ event, cursor, data }) => [event, cursor, data]), [
    ['ready', 'a', {}], [undefined, 'b', null], ['change', 'c', separated], ['later', 'd', {}],
    ['end', undefined, { message: 'Bye' }],
  ]);
  assert.deepEqual(requests.map(({ url }) => url.replace('/v1/changes/stream', '')), [
    '?mine=1&since=now', '?mine=1&since=b', '?mine=1&since=b',
  ]);
  assert.ok(waits[0] >= 0.35 && waits[0] <= 1.05, `${waits}`);
  assert.ok(waits[1] >= 4.5 && waits[1] <= 13.5, `${waits}`);
  await fails('gone', all((await connect(() => [410])).humon.changes.stream({ mine: 1 })));
});

test('A stream that is silent is opened again', async () => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (end, milliseconds) => setTimeout(end, Math.min(milliseconds, 50));
  try {
    let count = 0;
    const fetch = async (url, { signal }) => {
      count += 1;
      if (count === 1) {
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('abort'))));
      }
      const body = count === 2 ? new ReadableStream({}) : new Blob(['event: end\ndata: {}\n\n']).stream();
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { humon } = await connect(() => [200], { fetch });
    assert.equal((await all(humon.changes.stream({ mine: 1 }))).length, 1);
    assert.equal(count, 3);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test('A stream without streams of fetch is decoding', async () => {
  const headers = new Headers({ 'content-type': 'text/event-stream' });
  const fetch = async () => ({ ok: true, status: 200, headers });
  const { humon } = await connect(() => [200], { fetch });

  await fails('decoding', all(humon.changes.stream({ mine: 1 })));
});
