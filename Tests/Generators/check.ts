// Uses the generated client and the code of docs/clients.md, and checks what they return.
import { Event, EventFromJSON, EventToJSON, ResponseError } from "./generated";
import { client, errors, rename, search, signUp } from "./humon";

declare const process: { argv: string[]; exitCode: number };

function equal(found: unknown, expected: unknown, what: string): void {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
}

async function failure(request: Promise<unknown>): Promise<ResponseError> {
    try {
        await request;
    } catch (error) {
        if (error instanceof ResponseError) return error;
        throw error;
    }
    throw new Error("The request succeeded.");
}

async function check(url: string, secret: string): Promise<void> {
    const token: string = await signUp(url, secret);
    const humon = client(url, token);
    const startedAt = new Date("2036-06-01T18:00:00.250+02:00");
    const created: number[] = [];
    for (const name of ["Picnic", "Concert"]) {
        const completeEvent = {
            name, lat: 37.76, lon: -122.43, startedAt, address: "Dolores St", tags: ["jazz"],
            data: { deep: { seats: [1, 2.5] } },
        };
        const idempotencyKey = crypto.randomUUID();
        const { id } = await humon.createEvent({ completeEvent, idempotencyKey });
        const again = await humon.createEvent({ completeEvent, idempotencyKey });
        equal(again.id, id, "a repeated write");
        created.push(id);
    }
    equal(created.map((id) => typeof id), ["number", "number"], "ids");

    const query = { lat: 37.7602, lon: -122.4303, radius: 1, owner: "me" };
    const page = await humon.searchEvents({ ...query, limit: 1, count: "exact" });
    equal([page.events.length, typeof page.next, page.count], [1, "string", 2], "a page");
    const events: Event[] = [];
    for await (const event of search(humon, { ...query, limit: 1 })) events.push(event);
    equal(events.map((event) => event.id), created, "events");
    const [event] = events;
    equal(event.startedAt instanceof Date, true, "a time");
    equal(event.startedAt.getTime(), startedAt.getTime(), "a time");
    equal(event.endedAt, null, "no end");
    const distance: number = event.distance ?? 0;
    equal(distance > 0.03 && distance < 0.04, true, "a distance");
    equal([event.lat, event.lon], [37.76, -122.43], "a place");
    equal(event.owner.id, (await humon.showUser({})).id, "an owner");
    equal([event.tags, event.data], [["jazz"], { deep: { seats: [1, 2.5] } }], "attributes");
    const later = EventFromJSON({ ...EventToJSON(event), status: "sold_out", later: { x: 1 } });
    equal([later.id, later.status], [event.id, "sold_out"], "an event of a newer server");
    const from = new Date(startedAt.getTime() - 1);
    const window = await humon.searchEvents({ ...query, from, to: startedAt });
    equal(window.events, [], "events before a time");
    equal((await humon.searchEvents({ ...query, from })).events.length, 2, "events from a time");

    const invalid = await failure(humon.searchEvents({ radius: 1 }));
    equal(invalid.response.status, 422, "a search without a place");
    equal(await errors(invalid), ["Radius needs lat and lon"], "errors");
    const nowhere = await failure(humon.createEvent({
        completeEvent: { name: "Picnic", lat: 1, lon: 2, startedAt, url: "nowhere" },
    }));
    equal(nowhere.response.status, 422, "an event without a place in the web");
    equal(await errors(nowhere), ["Url must be an absolute http or https URL"], "errors");

    const { raw } = await humon.showEventRaw({ id: event.id });
    await rename(humon, event.id, "Late picnic");
    const changed = await humon.showEvent({ id: event.id });
    equal([changed.name, changed.address], ["Late picnic", "Dolores St"], "a changed event");
    const ifMatch = raw.headers.get("ETag") ?? "";
    equal(ifMatch.length > 2, true, "an ETag");
    const late = await failure(
        humon.updateEvent({ id: event.id, ifMatch, partOfEvent: { name: "Lost" } }));
    equal(late.response.status, 412, "a change of an old version");
    const racing = client(url, token);
    racing.showEventRaw = async (request) => {
        const response = await humon.showEventRaw(request);
        await humon.updateEvent({ id: event.id, partOfEvent: { category: "music" } });
        return response;
    };
    const lost = await failure(rename(racing, event.id, "Lost"));
    equal(lost.response.status, 412, "a change meanwhile");
    await humon.updateEvent({ id: event.id, partOfEvent: { address: null } });
    equal((await humon.showEvent({ id: event.id })).address, null, "a cleared attribute");

    const other = client(url, await signUp(url, secret));
    const forbidden = await failure(rename(other, event.id, "Mine"));
    equal([forbidden.response.status, await errors(forbidden)], [403, ["Forbidden"]], "another's");
    const report = await other.reportEvent({ id: event.id, newReport: { reason: "spam" } });
    equal(typeof report.id, "number", "a report");
}

check(process.argv[2], process.argv[3]).catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
