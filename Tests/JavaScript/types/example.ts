// A program that uses every operation, without mistakes.

import {
  Humon, HumonError, type Change, type ErrorKind, type Event, type EventQuery, type TokenStore,
} from './humon.js';

const tokens: TokenStore = { get: async () => null, set: () => {}, remove: () => {} };
const humon = new Humon('https://events.example.com', {
  appSecret: 'secret', tokens, fetch: (url, init) => fetch(url, init), timeout: 10_000,
  traceparent: () => undefined,
});
const { signal } = new AbortController();

export const names = async (): Promise<string[]> => {
  const query: EventQuery = {
    near: [37.76, -122.43], radius: 5, units: 'mi', when: 'upcoming', category: ['music'],
    tag: [['jazz'], ['live music', 'club']], status: 'any', owner: 'me', sort: '-started_at',
    limit: 50, count: 'exact', fields: ['id', 'name'], ongoing: false, q: 'jaz', tz: 'Europe/Berlin',
  };
  const found: string[] = [];
  for await (const event of humon.events.search(query, { signal })) found.push(event.name);
  for await (const { events, next, count } of humon.events.search().pages) {
    found.push(`${events.length} ${next ?? 'end'} ${count ?? 0}`);
  }
  const page = await humon.events.page({
    when: '2036-06', within: [[1, 2], [3, 4], [5, 6]], cursor: undefined,
  });
  await humon.events.page({ when: '2036-06-01', bbox: [1, 2, 3, 4] });
  await humon.events.page({ from: new Date(), to: 'now', series: 'a', attendee: 'me' });
  const [cluster] = await humon.events.clusters({ bbox: '1,2,3,4', zoom: 5, when: 'now' });
  return [...found, ...page.events.map(titleOf), `${cluster?.count} ${cluster?.event.name}`];
};

const titleOf = ({ name, address, started_at, owner, tags, distance, data }: Event): string =>
  [name, address ?? '', started_at.slice(0, 10), owner.name ?? owner.id, tags?.join() ?? '',
    distance?.toFixed(1), data?.price].join();

export const write = async (): Promise<void> => {
  const id: number = await humon.events.create({
    name: 'Jazz', lat: 1, lon: 2, started_at: new Date(), ended_at: null, tags: ['jazz'],
    status: 'scheduled', visibility: 'private', data: { price: 5 }, all_day: false,
  });
  const { version } = await humon.events.get(id);
  await humon.events.update(id, { status: 'cancelled', address: null }, { ifMatch: version, signal });
  await humon.events.replace(id, { name: 'Jazz', lat: 1, lon: 2, started_at: '2036-06-01' });
  const code: string = await humon.events.invite(id, { replace: true });
  await humon.events.closeInvitations(id);
  const attendance = await humon.attendances.join(code);
  await humon.attendances.cancel(attendance.id);
  await humon.attendances.cancel(await humon.attendances.attend(id));
  const { count, attendances } = await humon.attendances.list(id);
  console.log(count, attendances[0]?.user?.name);
  await humon.reports.event(id, { reason: 'child_safety', note: 'Note' });
  await humon.reports.user(1, { reason: 'spam' });
  await humon.blocks.add({ user: { id: 1 } });
  await humon.blocks.add({ event: { id } });
  for (const { user, created_at } of await humon.blocks.list()) {
    await humon.blocks.remove(user.id);
    console.log(created_at);
  }
  await humon.events.delete(id);
};

export const account = async (idToken: string): Promise<void> => {
  const { id } = await humon.signUp();
  try {
    const { result, auth_token } = await humon.signIn({ idToken, nonce: 'a', deviceName: 'Phone' });
    if (result === 'created') console.log(id, auth_token);
  } catch (error) {
    if (!(error instanceof HumonError)) throw error;
    const kind: ErrorKind = error.kind;
    if (kind === 'conflict') console.log(error.device?.events, error.user?.id);
    console.log(error.message, error.errors[0], error.status, error.requestID, error.retryAfter);
    await humon.signIn({ idToken, merge: true });
  }
  const { events, issuers, name, banned } = await humon.rename('Ana');
  console.log(events, issuers?.[0], name, banned, (await humon.me()).attendances);
  for (const device of await humon.devices()) {
    await humon.renameDevice(device.id, device.name ?? 'Phone');
    if (!device.current) await humon.endDevice(device.id);
  }
  await humon.addIdentity({ idToken });
  for (const identity of await humon.identities()) await humon.removeIdentity(identity.id);
  const { code, url, expires_at } = await humon.deletionCode({ signal });
  console.log(code, url, expires_at, await humon.rotateToken());
  await humon.signOut({ losingUser: true });
  await humon.deleteMe();
};

export const follow = async (): Promise<void> => {
  const apply = ({ op, type, id, event }: Change) => console.log(op, type, id, event?.name);
  const { changes, cursor, more } = await humon.changes.page({ mine: 1, wait: 30, limit: 10 });
  changes.forEach(apply);
  const region = { near: [1, 2] as const, radius: 5, since: more ? cursor : 'now' };
  for await (const message of humon.changes.stream(region, { signal })) {
    if (message.event === 'change') apply(message.data);
    if (message.event === 'end') console.log(message.data.message);
  }
};

console.log(Humon.operations.map(({ name, method, path }) => `${name} ${method} ${path}`));
