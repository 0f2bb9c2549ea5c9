// Follows the changes of the visible region: by a stream, or by polling where streams don't arrive.

import { get, target } from './api.js';
import { measure } from './mercator.js';

/** The radius of a region that the server follows, less a little for rounding, in metres. */
const largest = 199_000;
// Times in milliseconds. A stream is opened when the map has rested, so that moves open none.
const rest = 1000;
/** The time in which the first event of a stream arrives, unless a proxy buffers it. */
const patience = 5000;
const betweenPolls = 25_000;
/** The time after which a region that is too large to follow is loaded again. */
const betweenLoads = 60_000;
/** The minimum time between loads because of changes, so that a busy region stays readable. */
const betweenRefreshes = 10_000;
/** The maximum delay of such a load, so that the maps of many people don't load at once. */
const spread = 800;

const fits = ({ north, south, east, west }) => {
  const middle = { lat: (north + south) / 2, lon: (east + west) / 2 };
  return east - west < 180
    && [north, south].every((lat) => measure(middle, { lat, lon: west }).metres < largest);
};

export class Live {
  #actions;
  #filter;
  #cursor;
  #source;
  #polling;
  /** The next step: to open a stream, to give it up, to poll or to load a large region again. */
  #step;
  #refresh;
  #refreshedAt = -Infinity;
  #entered = new Set();
  #isBuffered = false;

  /**
   * Creates it; `actions` has `take` for each change, and `load`, which loads the view again.
   *
   * `load` gets the ids of new events, calls `prepare` and `follow`, and returns whether to try
   * again later.
   */
  constructor(actions) {
    this.#actions = actions;
    document.addEventListener('visibilitychange', () => {
      this.stop();
      if (!document.hidden) this.#load();
    });
  }

  /**
   * Prepares to follow the events of a search, which must be sent afterwards.
   *
   * The changes begin at a cursor that is older than the results, so none is missed. They ignore
   * the time window, which depends on the clock: the search applies it after each change.
   */
  async prepare({ lat, lon, when, tz, ...filter }, bounds, signal) {
    if (this.#cursor && JSON.stringify(filter) === JSON.stringify(this.#filter)) return;
    this.stop();
    if (!fits(bounds)) return;
    try {
      const { cursor } = await get(target('/v1/changes', { ...filter, since: 'now' }), signal);
      this.#filter = filter;
      this.#cursor = cursor;
    } catch (error) {
      if (error.name === 'AbortError') throw error;
    }
  }

  /** Follows the prepared region while the page is visible. */
  follow() {
    if (document.hidden || this.#source || this.#step) return;
    if (!this.#cursor) this.#next(betweenLoads, () => this.#load());
    else if (this.#isBuffered) this.#poll(betweenPolls);
    else this.#next(rest, () => this.#stream());
  }

  /** Stops following. */
  stop() {
    this.#close();
    clearTimeout(this.#refresh);
    this.#refresh = undefined;
    this.#cursor = undefined;
    this.#entered = new Set();
  }

  #close() {
    this.#source?.close();
    this.#source = undefined;
    this.#polling?.abort();
    this.#next();
  }

  /** Sets the next step, or none. */
  #next(delay, act) {
    clearTimeout(this.#step);
    this.#step = act && setTimeout(() => {
      this.#step = undefined;
      act();
    }, delay);
  }

  #stream() {
    const query = { ...this.#filter, since: this.#cursor };
    const source = new EventSource(target('/v1/changes/stream', query));
    this.#source = source;
    this.#next(patience, () => {
      this.#isBuffered = true;
      this.#poll(0);
    });
    const on = (type, act) => source.addEventListener(type, act);
    on('ready', () => this.#next());
    on('change', ({ data, lastEventId }) => {
      this.#next();
      this.#cursor = lastEventId;
      this.#take(JSON.parse(data));
    });
    on('reset', () => this.#restart());
    on('end', () => this.#poll(betweenPolls));
    on('error', () => {
      this.#next();
      // Otherwise, the browser connects again by itself.
      if (source.readyState === EventSource.CLOSED) this.#poll(betweenPolls);
    });
  }

  #poll(delay) {
    this.#close();
    this.#next(delay, async () => {
      this.#polling = new AbortController();
      const { signal } = this.#polling;
      try {
        let page;
        do {
          const query = { ...this.#filter, since: this.#cursor };
          page = await get(target('/v1/changes', query), signal);
          this.#cursor = page.cursor;
          for (const change of page.changes) this.#take(change);
        } while (page.more);
        this.#poll(betweenPolls);
      } catch (error) {
        if (error.name === 'AbortError') return;
        if (error.isTemporary) this.#poll(betweenPolls);
        else this.#restart();
      }
    });
  }

  #restart() {
    this.stop();
    this.#load();
  }

  #take(change) {
    if (change.type !== 'event') return;
    if (change.op === 'enter') this.#entered.add(change.id);
    this.#actions.take(change);
    const wait = Math.max(0, this.#refreshedAt + betweenRefreshes - performance.now());
    this.#refresh ??= setTimeout(() => this.#load(), wait + Math.random() * spread);
  }

  async #load() {
    clearTimeout(this.#refresh);
    this.#refresh = undefined;
    this.#refreshedAt = performance.now();
    const entered = this.#entered;
    this.#entered = new Set();
    if (await this.#actions.load(entered) || document.hidden) return;
    this.#refresh ??= setTimeout(() => this.#load(), betweenPolls);
  }
}
