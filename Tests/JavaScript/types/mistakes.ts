// Mistakes that the compiler must find. The run compares their lines and codes.

import { Humon, type Event } from './humon.js';

const humon = new Humon('https://events.example.com');
const jazz = { name: 'Jazz', lat: 1, lon: 2, started_at: '2036-06-01' };

export const mistakes = async (event: Event): Promise<void> => {
  // error TS2551
  console.log(event.adress);
  // error TS2551
  console.log(event.startedAt);
  // error TS2532
  console.log(event.tags.length);
  // error TS2820
  await humon.events.page({ when: 'upcomming' });
  // error TS2345
  await humon.events.page({ raduis: 5 });
  // error TS2322
  await humon.events.page({ units: 'metres' });
  // error TS2322
  await humon.events.page({ near: [1] });
  // error TS2345
  await humon.events.create({ ...jazz, lattitude: 1 });
  // error TS2345
  await humon.events.create({ name: 'Jazz', lat: 1, lon: 2 });
  // error TS2820
  await humon.events.update(1, { status: 'canceled' });
  // error TS2339
  console.log(humon.me().events);
  // error TS2339
  console.log(humon.events.get(1).name);
  // error TS2504
  for await (const { name } of humon.events.page()) console.log(name);
  // error TS2322
  await humon.reports.event(1, { reason: 'boring' });
  // error TS2345
  await humon.events.clusters({ zoom: 5 });
  // error TS2345
  await humon.changes.page({ when: 'now' });
  // error TS2551
  await humon.singIn({ idToken: 'a' });
};
