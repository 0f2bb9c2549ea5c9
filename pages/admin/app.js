// The page of a signed-in admin: the navigation, the routes and the screens.

import { draft, request, session } from './api.js';
import { element, foreign, link } from './dom.js';
import { button, changes, isSilent, loading, problem } from './parts.js';
import { accounts } from './accounts.js';
import { audit, backups, settings } from './operation.js';
import { event } from './event.js';
import { events } from './events.js';
import { overview } from './overview.js';
import { reports } from './reports.js';
import { user, users } from './users.js';

/** The screens by the first part of the hash; `one` is the screen of a single record. */
const screens = {
  overview: { list: overview, name: 'Overview' },
  reports: { list: reports, name: 'Reports' },
  events: { list: events, one: event, name: 'Events' },
  users: { list: users, one: user, name: 'Users' },
  accounts: { list: accounts, name: 'Accounts' },
  backups: { list: backups, name: 'Backups' },
  settings: { list: settings, name: 'Settings' },
  audit: { list: audit, name: 'Audit' },
};

let root;
let main;
let shown;

const parse = () => {
  const [path, text] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, id] = path.split('/');
  const query = new URLSearchParams(text);
  const known = Object.hasOwn(screens, name) ? screens[name] : undefined;
  const isOne = known?.one && /^[1-9][0-9]{0,15}$/.test(id ?? '');
  if (isOne) return { path, query, id: Number(id), screen: known.one };
  if (known && id === undefined) return { path, query, screen: known.list };
  return { path: 'overview', query, screen: overview };
};

/** Fills the screen with its data. The old content stays until then, if there is any. */
const fill = async (page) => {
  page.loading?.abort();
  page.loading = new AbortController();
  const { signal } = page.loading;
  page.content.ariaBusy = 'true';
  try {
    const data = await page.screen.load?.({ ...page, signal });
    if (signal.aborted) return;
    const focused = page.content.contains(document.activeElement) && document.activeElement;
    page.content.replaceChildren(...[page.screen.show(page, data)].flat(Infinity)
      .filter((child) => child instanceof Node));
    page.ready?.();
    if (focused && !focused.isConnected) {
      const same = focused.id && document.getElementById(focused.id);
      (same || page.heading).focus({ preventScroll: true });
    }
  } catch (error) {
    if (signal.aborted || isSilent(error)) return;
    page.content.replaceChildren(problem(error, () => fill(page)));
  } finally {
    if (!signal.aborted) page.content.ariaBusy = null;
  }
};

/** Loads the open screen again; one with parts that stay has a function for it. */
const update = () => (shown.update ?? (() => fill(shown)))();

/** Shows the screen of the hash. */
const route = () => {
  const parsed = parse();
  if (shown?.path === parsed.path) {
    shown.query = parsed.query;
    return update();
  }
  shown?.loading?.abort();
  shown?.closing.abort();
  const title = parsed.screen.title(parsed.id);
  const heading = element('h1', { tabIndex: -1 }, title);
  shown = {
    ...parsed, heading, closing: new AbortController(),
    content: element('div', { className: 'content' }, loading()),
  };
  for (const each of root.querySelectorAll('header nav a')) {
    const isCurrent = each.hash === `#/${parsed.path.split('/')[0]}`;
    each.ariaCurrent = isCurrent ? 'page' : null;
    if (isCurrent) each.parentElement.scrollLeft = each.offsetLeft - 80;
  }
  document.title = `${title} – Humon admin`;
  main.className = parsed.screen.className ?? '';
  main.replaceChildren(heading, shown.content);
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
  return fill(shown);
};

const signOut = async () => {
  let notice = 'You are signed out.';
  try {
    await request('DELETE', '/sessions/current');
  } catch (error) {
    if (!isSilent(error)) notice = `You are signed out in this tab only. ${error.message}`;
  }
  draft.current = undefined;
  session.end(notice);
};

addEventListener('hashchange', () => root && route());
changes.addEventListener('refresh', () => root && update());

/** Shows the page in an element. */
export const start = (area) => {
  root = area;
  shown = undefined;
  const navigation = element(
    'nav', { aria: { label: 'Admin' } },
    Object.entries(screens).map(([path, { name }]) => link(`#/${path}`, name)),
  );
  main = element('main', {});
  root.replaceChildren(
    element(
      'header', {}, link('#/overview', 'Humon admin'), navigation,
      element('div', { className: 'actions account' }, foreign(session.current.admin.name),
        button('Sign out', signOut)),
    ),
    element('div', { id: 'toast', role: 'status' }), main,
  );
  route();
};

/** Removes everything that the page shows. */
export const stop = () => {
  shown?.loading?.abort();
  shown?.closing.abort();
  root?.replaceChildren();
  root = undefined;
};
