// A client for Humon, for browsers, Node.js 18 and later, Deno, Bun and React Native.
// See docs/javascript.md. The types are in /humon.d.ts.

// The request of each operation, its body or query, and the returned part of the response.
// - open: needs no token
// - once: is never repeated; others are the same twice as once
// - key: has one Idempotency-Key
// - 401, 404: if a repetition has this status, it was done before
const requests = {
  signUp: 'POST /v1/users open',
  signIn: 'POST /v1/sessions open',
  rotateToken: 'POST /v1/users/me/token once',
  me: 'GET /v1/users/me',
  rename: 'PATCH /v1/users/me {name}',
  devices: 'GET /v1/users/me/devices .devices',
  renameDevice: 'PATCH /v1/users/me/devices/:id {name} .id',
  endDevice: 'DELETE /v1/users/me/devices/:id 404',
  identities: 'GET /v1/users/me/identities .identities',
  addIdentity: 'POST /v1/users/me/identities {signIn} .id',
  removeIdentity: 'DELETE /v1/users/me/identities/:id 404',
  deletionCode: 'POST /v1/users/me/deletion_code once',
  deleteMe: 'DELETE /v1/users/me 401',
  'events.page': 'GET /v1/events ? open',
  'events.clusters': 'GET /v1/events/clusters ? .clusters open',
  'events.get': 'GET /v1/events/:id version open',
  'events.create': 'POST /v1/events {} .id key',
  'events.update': 'PATCH /v1/events/:id {} .id key',
  'events.replace': 'PUT /v1/events/:id {} .id key',
  'events.delete': 'DELETE /v1/events/:id key 404',
  'events.invite': 'POST /v1/events/:id/invitation .code once',
  'events.closeInvitations': 'DELETE /v1/events/:id/invitation',
  'attendances.attend': 'POST /v1/attendances {event} .id key',
  'attendances.join': 'POST /v1/attendances {code} key',
  'attendances.cancel': 'DELETE /v1/attendances/:id key 404',
  'attendances.list': 'GET /v1/events/:id/attendances open',
  'reports.event': 'POST /v1/events/:id/reports {} .id',
  'reports.user': 'POST /v1/users/:id/reports {} .id',
  'blocks.add': 'POST /v1/users/me/blocks {} .id',
  'blocks.remove': 'DELETE /v1/users/me/blocks/:id 404',
  'blocks.list': 'GET /v1/users/me/blocks .blocks',
  'changes.page': 'GET /v1/changes ? open',
  'changes.stream': 'GET /v1/changes/stream ? open',
};

const bodies = {
  '{}': (values) => values,
  '{name}': (name) => ({ name }),
  '{code}': (code) => ({ code }),
  '{event}': (id) => ({ event: { id } }),
  '{signIn}': ({ idToken, nonce, deviceName, merge }) =>
    ({ id_token: idToken, nonce, device_name: deviceName, merge }),
};

const operations = Object.entries(requests).map(([name, text]) => {
  const [method, path, ...flags] = text.split(' ');
  const body = bodies[flags.find((flag) => flag in bodies)];
  const member = flags.find((flag) => flag.startsWith('.'))?.slice(1);
  return { name, method, path, body, member, flags };
});

const kinds = {
  400: 'badRequest', 401: 'unauthorized', 403: 'forbidden', 404: 'notFound', 405: 'notFound',
  408: 'timeout',
  409: 'conflict', 410: 'gone', 412: 'preconditionFailed', 413: 'tooLarge', 414: 'tooLarge',
  422: 'validationFailed', 429: 'rateLimited', 431: 'tooLarge', 502: 'unavailable',
  503: 'unavailable', 504: 'unavailable',
};
const passing = ['timeout', 'rateLimited', 'unavailable', 'network'];

/** What went wrong: a `kind` for the app, and a `message` for people. */
export class HumonError extends Error {
  constructor(kind, message, details = {}) {
    super(message);
    Object.assign(this, { name: 'HumonError', kind, errors: [] }, details);
  }
}

const now = () => performance.now() / 1000;

const foreign = (status) =>
  new HumonError('decoding', 'The response is not one of Humon.', { status });

const cancelled = () => new HumonError('cancelled', 'The request was cancelled.');

const objectIn = (text) => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
};

const versionIn = (headers) => headers.get('etag')?.replace(/^W\/|"/g, '');

const errorOf = ({ status, headers }, text) => {
  const { message, errors = [], device, user } = objectIn(text) ?? {};
  const sentence = errors[0] ?? message ?? `The server responded with ${status}.`;
  const after = headers.get('retry-after') ?? '';
  const requestID = headers.get('x-request-id') ?? undefined;
  const time = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  const retryAfter = time >= 0 ? time : undefined;
  const version = status === 412 ? versionIn(headers) : undefined;
  const isHumons = !!message;
  const details = { status, errors, requestID, retryAfter, device, user, version, isHumons };
  return new HumonError(kinds[status] ?? 'server', sentence, details);
};

const valueOf = ({ status, headers }, text, { method, member, flags }) => {
  if (method === 'DELETE' && status === 204) return undefined;
  const value = method === 'DELETE' ? undefined : objectIn(text);
  if (!value) throw foreign(status);
  if (flags.includes('version')) value.version = versionIn(headers);
  return member ? value[member] : value;
};

const messageOf = (block) => {
  const fields = block.split('\n').map((line) => line.split(/: ?(.*)/s, 2));
  const { id: cursor, event, retry, data: text = '' } = Object.fromEntries(fields);
  const data = objectIn(text);
  if (event === 'change' && !data) throw foreign();
  return { event, cursor, retry, data };
};

/** Awaits a step unless time is up or the app cancels. */
const limited = async (seconds, signal, part) => {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // Timers over 31 bits fire at once.
  const timer = setTimeout(abort, Math.min(seconds * 1000, 0x7fffffff));
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted) throw cancelled();
    return await part(controller.signal);
  } catch (cause) {
    if (cause instanceof HumonError) throw cause;
    if (signal?.aborted) throw cancelled();
    const isLate = controller.signal.aborted;
    const message = isLate ? 'The server is too slow.' : 'The server can\'t be reached.';
    throw new HumonError(isLate ? 'timeout' : 'network', message, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
};

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    signal?.aborted ? reject(cancelled()) : resolve();
  };
  const timer = setTimeout(end, signal?.aborted ? 0 : seconds * 1000);
  signal?.addEventListener('abort', end);
});

const makeUUID = () => {
  // Only pages with HTTPS have `randomUUID`.
  const bytes = globalThis.crypto?.getRandomValues?.(new Uint8Array(36));
  return bytes && 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'
    .replace(/x/g, (_, place) => (bytes[place] & 15).toString(16));
};

/** Returns the query of a URL. Lists are joined with commas; `tag` can be several. */
const queryText = (query = {}) => {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (name === 'near' && value) return [['lat', value[0]], ['lon', value[1]]];
    if (name === 'tag' && Array.isArray(value?.[0])) return value.map((tags) => [name, tags]);
    return value === undefined || value === null ? [] : [[name, value]];
  }).map(([name, value]) => {
    const text = value instanceof Date ? value.toISOString() : [value].flat(2).join();
    return `${name}=${encodeURIComponent(text)}`;
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
};

const defaultStore = (name) => {
  let stored;
  let storage;
  try {
    storage = globalThis.localStorage?.getItem && globalThis.localStorage;
  } catch {
    // The browser blocks it.
  }
  return {
    get: () => (storage ? storage.getItem(name) : stored),
    set: (text) => (storage ? storage.setItem(name, text) : (stored = text)),
    remove: () => (storage ? storage.removeItem(name) : (stored = '')),
  };
};

/** A server, and the user of this device. */
export class Humon {
  static operations = operations;

  #url;
  #options;
  #tokens;
  #session = Promise.resolve();
  #updates = Promise.resolve();

  constructor(url, options = {}) {
    // React Native's URL is incomplete.
    const [, scheme, host] = /^(https?):\/\/([^\s/?#@\\]+?)(:\d+)?(\/[^?#]*)?$/i.exec(url) ?? [];
    const isLocal = /^(localhost|127(\.\d+){3}|\[::1\]|10\.0\.2\.2|.+\.local)$/i.test(host);
    if (!scheme || (scheme.length === 4 && !isLocal && !options.allowsPlainHTTP)) {
      throw new HumonError('insecureURL', `${url} is not the https URL of a server.`);
    }
    this.#url = url.replace(/\/+$/, '');
    this.#options = { timeout: 30_000, ...options };
    this.#tokens = options.tokens ?? defaultStore(`humon:${this.#url}`);
    for (const { name, path, body, flags } of operations) {
      const [group, member] = name.split('.');
      if (group in Humon.prototype) continue;
      const owner = member ? (this[group] ??= {}) : this;
      owner[member ?? name] = async (...values) => {
        const parts = {};
        if (path.includes(':id')) parts.id = values.shift();
        if (flags.includes('?')) parts.query = values.shift();
        if (body) parts.body = body(values.shift());
        return this.#call(name, parts, values[0]);
      };
    }
    this.events.search = (query, options) => ({
      [Symbol.asyncIterator]: () => this.#events(query, options),
      pages: { [Symbol.asyncIterator]: () => this.#pages(query, options) },
    });
    this.events.invite = async (id, { replace, ...options } = {}) =>
      this.#call('events.invite', { id, body: { replace } }, options);
    this.changes.stream = (query, options) => this.#stream(query, options);
  }

  signUp(options) {
    return this.#inOrder(async () => {
      const secret = this.#options.appSecret;
      if (!secret) throw new HumonError('noAppSecret', 'signUp needs the option appSecret.');
      const { token, pending } = await this.#stored();
      const own = token || pending || makeUUID();
      if (!token && own) await this.#keep('', own);
      const headers = { 'tb-app-secret': secret, ...(own && { 'tb-device-token': own }) };
      const body = await this.#call('signUp', { headers }, options);
      await this.#keep(body.device_token ?? body.auth_token);
      return { id: body.id };
    });
  }

  /** Signs in with an ID token. After `conflict`, ask the person, and send `merge`. */
  signIn(values, options) {
    return this.#inOrder(async () => {
      const { token, pending } = await this.#stored();
      const own = pending || makeUUID();
      // If the response gets lost, the next call sends it again.
      if (own && !pending) await this.#keep(token, own);
      const body = { ...bodies['{signIn}'](values), device_token: own };
      const result = await this.#call('signIn', { body }, options);
      await this.#keep(result.auth_token);
      return result;
    });
  }

  /** Ends the token of this device. */
  signOut({ losingUser = false, ...options } = {}) {
    return this.#inOrder(async () => {
      if (!(await this.#stored()).token) return;
      try {
        if (!losingUser && !(await this.#call('me', {}, options)).issuers?.length) {
          throw new HumonError('wouldLoseUser', 'Nobody could sign in as this user again.');
        }
        await this.#call('endDevice', { id: 'current' }, options);
      } catch (error) {
        if (error.kind !== 'unauthorized') throw error;
      }
      await this.#keep('');
    });
  }

  rotateToken(options) {
    return this.#inOrder(async () => {
      const body = await this.#call('rotateToken', {}, options);
      await this.#keep(body.auth_token);
      return { id: body.id };
    });
  }

  deleteMe(options) {
    return this.#inOrder(async () => {
      await this.#call('deleteMe', {}, options);
      await this.#keep('');
    });
  }

  async *#pages({ cursor, ...query } = {}, options = undefined) {
    do {
      const page = await this.events.page({ limit: 100, ...query, cursor }, options);
      yield page;
      cursor = page.next;
    } while (cursor);
  }

  /** Returns the events of all pages, each once, even if it is on two. */
  async *#events(query, options) {
    const ids = new Set();
    for await (const { events } of this.#pages(query, options)) {
      yield* events.filter(({ id }) => !ids.has(id) && ids.add(id));
    }
  }

  async *#stream({ since, ...query }, { signal } = {}) {
    let seconds = 3;
    for (let cursor = since; ;) {
      let least = 0;
      try {
        for await (const message of this.#messages({ ...query, since: cursor }, signal)) {
          if (message.retry) seconds = message.retry / 1000;
          cursor = message.cursor ?? cursor;
          if (message.cursor || message.event) yield message;
          if (message.event === 'end') return;
        }
      } catch (error) {
        if (!passing.includes(error.kind)) throw error;
        least = Math.min(error.retryAfter ?? 0, 86_400);
      }
      await pause(Math.max(least, seconds * (0.5 + Math.random())), signal);
    }
  }

  async *#messages(query, signal) {
    const operation = operations.find(({ name }) => name === 'changes.stream');
    const request = await this.#request(operation, { query });
    const { body, headers } = await limited(45, signal, (abort) => this.#send(request, abort));
    if (!body || !/^text\/event-stream/.test(headers.get('content-type'))) throw foreign();
    const reader = body.getReader();
    const end = () => reader.cancel().catch(() => {});
    try {
      const decoder = new TextDecoder();
      for (let text = ''; ;) {
        const { value, done } = await limited(45, signal, (abort) => {
          abort.onabort = end;
          return reader.read();
        });
        if (done) return;
        const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) yield messageOf(block);
      }
    } finally {
      end();
    }
  }

  async #call(name, parts, { signal, ifMatch } = {}) {
    const operation = operations.find((operation) => operation.name === name);
    const { flags } = operation;
    const request = await this.#request(operation, parts, ifMatch);
    const hasKey = 'idempotency-key' in request.headers;
    const isOnce = flags.includes('once') || (flags.includes('key') && !hasKey);
    const end = now() + this.#options.timeout / 1000 + Number(parts.query?.wait ?? 0);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await limited(end - now(), signal, async (abort) => {
          const response = await this.#send(request, abort);
          return valueOf(response, await response.text(), operation);
        });
      } catch (error) {
        if (attempt && error.isHumons && flags.includes(`${error.status}`)) return undefined;
        const backoff = (0.5 + Math.random() / 2) * 0.5 * 2 ** attempt;
        const seconds = Math.max(backoff, error.retryAfter ?? 0);
        const isLast = isOnce || attempt === 3 || now() + seconds >= end;
        if (isLast || !passing.includes(error.kind)) throw error;
        await pause(seconds, signal);
      }
    }
  }

  async #send({ url, ...request }, signal) {
    const { fetch = globalThis.fetch } = this.#options;
    const options = { redirect: 'manual', cache: 'no-store', credentials: 'omit', signal };
    const response = await fetch(url, { ...request, ...options });
    const { status, type, redirected } = response;
    // Browsers hide redirects, Node.js shows them, and React Native follows them.
    if (type === 'opaqueredirect' || redirected || (status >= 300 && status < 400)) {
      throw new HumonError('redirected', 'The server redirects elsewhere.', { status });
    }
    if (status < 400) return response;
    // A proxy's login page has no message.
    const error = errorOf(response, await response.text());
    if (status === 401 && error.isHumons) {
      const sent = request.headers['tb-auth-token'];
      await this.#update(({ token, pending }) => ({ token: token === sent ? '' : token, pending }));
    }
    throw error;
  }

  async #request({ method, path, flags }, { id, query, body, headers }, ifMatch) {
    const { token } = await this.#stored();
    if (!token && !flags.includes('open')) throw new HumonError('noToken', 'Sign in first.');
    const key = flags.includes('key') && makeUUID();
    const traceparent = this.#options.traceparent?.();
    const tag = /^[-\w]+$/.test(ifMatch) ? `"${ifMatch}"` : ifMatch;
    return {
      method,
      url: this.#url + path.replace(':id', encodeURIComponent(id)) + queryText(query),
      headers: {
        ...(token && { 'tb-auth-token': token }),
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': `"${key}"` }),
        ...(ifMatch && { 'if-match': tag }),
        ...(traceparent && { traceparent }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    };
  }

  #inOrder(work) {
    const done = this.#session.then(work);
    this.#session = done.catch(() => {});
    return done;
  }

  /** Returns the token, and that of a sign-in without response. */
  async #stored() {
    const [token = '', pending = ''] = (await this.#store('get') ?? '').split('\n');
    return { token, pending };
  }

  #keep(token, pending) {
    return this.#update(() => ({ token, pending }));
  }

  /** Changes the stored tokens, one after the other. */
  #update(change) {
    const done = this.#updates.then(async () => {
      const { token, pending } = change(await this.#stored());
      const text = pending ? `${token}\n${pending}` : token;
      await (text ? this.#store('set', text) : this.#store('remove'));
    });
    this.#updates = done.catch(() => {});
    return done;
  }

  async #store(action, ...values) {
    try {
      return await this.#tokens[action](...values);
    } catch (cause) {
      throw new HumonError('tokenStore', 'The token can\'t be read or stored.', { cause });
    }
  }
}
