"""Uses the generated client and the code of docs/clients.md, and checks what they return."""

import datetime
import sys
import uuid

import humon
from client import client, errors, rename, search, sign_up

URL, SECRET = sys.argv[1:]


def equal(found, expected):
    assert found == expected and type(found) is type(expected), f"{found!r}, not {expected!r}"


def failure(kind, function, *arguments, **names):
    try:
        function(*arguments, **names)
    except kind as error:
        return error
    raise AssertionError("The request succeeded.")


TOKEN = sign_up(URL, SECRET)
api = client(URL, TOKEN)
start = datetime.datetime.fromisoformat("2036-06-01T18:00:00.250+02:00")
created = []
for name in ("Picnic", "Concert"):
    event = humon.CompleteEvent(
        name=name, lat=37.76, lon=-122.43, started_at=start, address="Dolores St", tags=["jazz"],
        data={"deep": {"seats": [1, 2.5]}})
    key = str(uuid.uuid4())
    created.append(api.create_event(event, idempotency_key=key).id)
    equal(api.create_event(event, idempotency_key=key).id, created[-1])
equal([type(id) for id in created], [int, int])

query = {"lat": 37.7602, "lon": -122.4303, "radius": 1, "owner": "me"}
page = api.search_events(**query, limit=1, count="exact")
equal([len(page.events), type(page.next), page.count], [1, str, 2])
events = list(search(api, **query, limit=1))
equal([event.id for event in events], created)
event = events[0]
equal(event.started_at, start)
equal(event.ended_at, None)
assert 0.03 < event.distance < 0.04, event.distance
equal([event.lat, event.lon], [37.76, -122.43])
equal(event.owner.id, api.show_user().id)
equal([event.tags, event.data], [["jazz"], {"deep": {"seats": [1, 2.5]}}])
later = humon.Event.from_dict({**event.to_dict(), "status": "sold_out", "later": {"x": 1}})
equal([later.id, later.status], [event.id, "sold_out"])

before = start - datetime.timedelta(milliseconds=1)
equal(api.search_events(**query, var_from=before, to=start).events, [])
equal(len(api.search_events(**query, var_from=before).events), 2)

invalid = failure(humon.exceptions.UnprocessableEntityException, api.search_events, radius=1)
equal(invalid.status, 422)
equal(errors(invalid), ["Radius needs lat and lon"])
nowhere = humon.CompleteEvent(name="Picnic", lat=1, lon=2, started_at=start, url="nowhere")
invalid = failure(humon.ApiException, api.create_event, nowhere)
equal([invalid.status, errors(invalid)], [422, ["Url must be an absolute http or https URL"]])

etag = api.show_event_with_http_info(event.id).headers["ETag"]
rename(api, event.id, "Late picnic")
changed = api.show_event(event.id)
equal([changed.name, changed.address], ["Late picnic", "Dolores St"])
late = failure(humon.ApiException, api.update_event, event.id, if_match=etag,
               part_of_event=humon.PartOfEvent(name="Lost"))
equal(late.status, 412)


def read_before_a_change(id):
    response = humon.HumonApi.show_event_with_http_info(api, id)
    api.update_event(id, part_of_event=humon.PartOfEvent(category="music"))
    return response


racing = client(URL, TOKEN)
racing.show_event_with_http_info = read_before_a_change
equal(failure(humon.ApiException, rename, racing, event.id, "Lost").status, 412)
api.update_event(event.id, part_of_event=humon.PartOfEvent(address=None))
equal(api.show_event(event.id).address, None)

other = client(URL, sign_up(URL, SECRET))
forbidden = failure(humon.ApiException, rename, other, event.id, "Mine")
equal([forbidden.status, errors(forbidden)], [403, ["Forbidden"]])
equal(type(other.report_event(event.id, humon.NewReport(reason="spam")).id), int)
