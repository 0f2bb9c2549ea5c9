// The requests to the admin server, the session, and errors in words.

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content;

/** What the server has written into the page. */
export const settings = {
  installation: meta('installation') ?? '',
  database: meta('database') ?? 'sqlite',
  tiles: meta('map-tiles'),
  credit: meta('map-credit') ?? 'Natural Earth',
  hasAdmins: meta('admins') !== 'none',
};

/** Dispatches `ended`, with a sentence as its detail, when the session has ended. */
export const endings = new EventTarget();

const read = (key) => {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? undefined;
  } catch {
    return undefined;
  }
};

/** A value of the tab; its name has the installation, so that no other server's page reads it. */
const stored = (key) => ({
  get current() {
    return read(key);
  },
  set current(value) {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  },
});
const held = stored(`humon-admin-${settings.installation}`);

/** The unsaved changes of events; they outlive the session of the same admin. */
export const draft = stored(`humon-admin-draft-${settings.installation}`);

/** The token and the name of the admin, in this tab only. */
export const session = {
  get current() {
    return held.current;
  },
  begin({ token, admin }) {
    if (draft.current?.admin !== admin.name) draft.current = undefined;
    held.current = { token, admin };
  },
  end(notice) {
    held.current = undefined;
    endings.dispatchEvent(new CustomEvent('ended', { detail: notice }));
  },
};

/** A failed request; `message` is a sentence for the admin, `errors` has one for each value. */
export class Problem extends Error {
  constructor(message, { status = 0, errors = [] } = {}) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

const problem = ({ status }, body) => {
  const errors = Array.isArray(body?.errors) ? body.errors.map(String) : [];
  const message = typeof body?.message === 'string' ? body.message : undefined;
  if (status === 422 && errors.length > 0) {
    return new Problem('The server rejected these values:', { status, errors });
  }
  if (status === 404) return new Problem('This record does not exist.', { status });
  if (status === 412) {
    return new Problem('The event has changed since you opened it. Load it again, check your '
      + 'changes, then save them.', { status });
  }
  return new Problem(message ?? `The server reported an error (${status}).`, { status, errors });
};

const unreachable = () =>
  new Problem('The server can’t be reached. Check that it is running, and your tunnel or network.');

/** The time in ms until which the server at this address is known to be the page's. */
let knownUntil = 1000;
let checking;

/**
 * Checks that the same server as before is at the page's address.
 *
 * Behind the same address, such as a tunnel's, there can be another one, which must not get the
 * token or the password. Its page is loaded instead.
 */
const check = async () => {
  const page = await fetch('/', { cache: 'no-store' });
  const found = /name="installation" content="([^"]*)"/.exec(await page.text());
  if (found && found[1] !== settings.installation) {
    location.reload();
    // The page goes away, so the request never ends.
    await new Promise(() => {});
  }
  if (!found) throw new TypeError('another server');
};

/**
 * Sends a request with the token.
 *
 * Returns `body`, `text`, `etag`, and `action`, the number of the change in the audit. Throws
 * `Problem`, or an `AbortError` if it was aborted. Without a valid token it ends the session.
 */
export const request = async (method, path, { body, etag, signal } = {}) => {
  const token = session.current?.token;
  const headers = { Accept: 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (method !== 'GET') headers['Content-Type'] = 'application/json';
  if (etag) headers['If-Match'] = etag;
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  let response;
  let text;
  try {
    if (performance.now() > knownUntil) {
      checking ??= check().finally(() => { checking = undefined; });
      await checking;
    }
    response = await fetch(`/admin/v1${path}`, {
      method, headers, signal, cache: 'no-store',
      body: method === 'POST' ? content ?? '{}' : content,
    });
    text = await response.text();
  } catch (error) {
    knownUntil = 0;
    if (error.name === 'AbortError') throw error;
    throw unreachable();
  }
  knownUntil = performance.now() + 100;
  let value;
  try {
    value = text === '' ? undefined : JSON.parse(text);
  } catch {
    if (response.ok) throw new Problem('The server’s response is not JSON.');
  }
  if (response.status === 401 && token) {
    if (session.current?.token === token) session.end('Your session has ended. Sign in again.');
    throw new Problem('Your session has ended. Sign in again.', { status: 401 });
  }
  if (!response.ok) throw problem(response, value);
  const { headers: received } = response;
  return {
    body: value, text, etag: received.get('ETag') ?? undefined,
    action: received.get('Humon-Action') ?? undefined,
  };
};

/** Returns a path with parameters; those without a value are omitted. */
export const target = (path, parameters = {}) => {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = new URLSearchParams(pairs).toString().replaceAll('%2C', ',');
  return query === '' ? path : `${path}?${query}`;
};

/** Returns the JSON of a path. */
export const get = async (path, signal) => (await request('GET', path, { signal })).body;
