"""Events as an iCalendar stream and as an Atom feed."""

import hashlib
import re
import uuid

import times
import views

PRODUCT = "-//Humon//Events//EN"
LINE_OCTETS = 75
OTHER_CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f]")
LINE_BREAK = re.compile("\r\n|\r|\n")
EMPTY = ["BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000",
         "TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "TZNAME:UTC", "END:STANDARD", "END:VTIMEZONE"]


def uuid_of(name):
    """Returns the UUID of version 8 for a name."""
    data = bytearray(hashlib.sha256(name.encode()).digest()[:16])
    data[6] = data[6] & 0x0F | 0x80
    data[8] = data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))


def folded(line):
    """Returns a content line, folded at 75 octets, with line ends."""
    pieces, size = [""], 0
    for character in line:
        octets = len(character.encode())
        if size + octets > LINE_OCTETS:
            pieces.append(" ")
            size = 1
        pieces[-1] += character
        size += octets
    return "".join(piece + "\r\n" for piece in pieces)


def escaped(text):
    """Returns a value of type TEXT."""
    text = re.sub(r"([\\;,])", r"\\\1", LINE_BREAK.sub("\n", text))
    return OTHER_CONTROL.sub("", text).replace("\n", "\\n")


def parameter(text):
    """Returns the value of a quoted parameter."""
    text = LINE_BREAK.sub(" ", text).replace("\t", " ").replace('"', "'")
    return OTHER_CONTROL.sub("", text)


def basic_time(instant):
    return times.text_of(instant)[:19].replace("-", "").replace(":", "") + "Z"


def degrees(value):
    """Returns a number with six decimals."""
    return f"{value:.6f}"


def calendar_event(event, installation, transparency):
    """Returns the lines of a VEVENT."""
    position = degrees(event.lat), degrees(event.lon)
    # An address of control characters and white space alone names no place.
    address = OTHER_CONTROL.sub("", event.address or "")
    place = event.address if address.strip() else ", ".join(position)
    start = event.started_at
    lines = [
        "BEGIN:VEVENT",
        f"UID:{uuid_of(f'{installation}/events/{event.id}')}",
        f"DTSTAMP:{basic_time(event.updated_at)}",
        f"CREATED:{basic_time(event.created_at)}",
        f"LAST-MODIFIED:{basic_time(event.updated_at)}",
    ]
    if event.is_all_day:
        lines.append(f"DTSTART;VALUE=DATE:{basic_time(start)[:8]}")
        if (after := (event.last_day + 1) * times.DAY) <= times.LATEST:
            lines.append(f"DTEND;VALUE=DATE:{basic_time(after)[:8]}")
    else:
        lines.append(f"DTSTART:{basic_time(start)}")
    if not event.is_all_day and event.ended_at is not None and event.ended_at // 1000 > start // 1000:
        lines.append(f"DTEND:{basic_time(event.ended_at)}")
    details = event.details
    categories = ",".join(map(escaped, event.labels))
    status = {"cancelled": "CANCELLED", "postponed": "TENTATIVE"}.get(event.status)
    return lines + [
        f"SUMMARY:{escaped(event.name)}", f"LOCATION:{escaped(place)}",
        f"GEO:{';'.join(position)}",
        "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;"
        f'X-TITLE="{parameter(place)}":geo:{",".join(position)}',
        *([f"DESCRIPTION:{escaped(details['description'])}"] if "description" in details else []),
        *([f"CATEGORIES:{categories}"] if categories else []),
        *([f"STATUS:{status}"] if status else []),
        f"TRANSP:{'TRANSPARENT' if status else transparency}", "END:VEVENT",
    ]


def calendar(title, events, installation, transparency):
    """Returns a calendar of these events."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODUCT}", "CALSCALE:GREGORIAN",
             f"NAME:{escaped(title)}", f"X-WR-CALNAME:{escaped(title)}",
             "REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"]
    for event in events:
        lines += calendar_event(event, installation, transparency)
    lines += [] if events else EMPTY
    return "".join(map(folded, [*lines, "END:VCALENDAR"]))


def title_of(query):
    """Returns the title of a calendar or feed."""
    if query.title is not None:
        return query.title
    if query.origin is None:
        return "Events"
    return f"Events near {', '.join(map(views.number_text, query.origin))}"


def calendar_page(page):
    """Returns a page of events as a calendar."""
    transparency = "TRANSPARENT" if page.query.attendee is None else "OPAQUE"
    return calendar(title_of(page.query), [row.event for row in page.rows], page.installation,
                    transparency)


def xml(text):
    """Returns text for XML 1.0, without forbidden characters."""
    text = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def entry(row, page):
    """Returns the line of an event in a feed."""
    event, zone = row.event, page.query.zone
    def shown(time):
        return times.text_of(time)[:10] if event.is_all_day else times.short_text(time, zone)

    when = shown(event.started_at)
    if event.ended_at is not None and event.ended_at > event.started_at:
        when += f" to {shown(event.ended_at)}"
    parts = [when] + ([xml(event.place)] if event.place else [])
    if row.millimetres is not None:
        parts.append(f"{row.distance_text()} {row.compass_point()}".rstrip())
    mark = "" if event.status == "scheduled" else f"{event.status.title()}: "
    labels = "".join(f'<category term="{xml(label)}"/>' for label in event.labels)
    description = event.details.get("description")
    content = ", ".join(parts) + (f"\n\n{xml(description)}" if description else "")
    return (
        f"<entry><id>urn:uuid:{uuid_of(f'{page.installation}/events/{event.id}')}</id>"
        f"<title>{mark}{xml(event.name)}</title>"
        f'<link rel="alternate" href="{page.address}/map#event={event.id}"/>'
        f"<published>{times.text_of(event.created_at)}</published>"
        f"<updated>{times.text_of(event.updated_at)}</updated>{labels}"
        f'<content type="text">{content}</content>'
        f"<georss:point>{degrees(event.lat)} {degrees(event.lon)}</georss:point></entry>"
    )


def feed_page(page):
    """Returns a page of events as an Atom feed."""
    updated = max((row.event.updated_at for row in page.rows), default=0)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:georss="http://www.georss.org/georss">',
        f"<id>urn:uuid:{uuid_of(f'{page.installation}/events?{page.filters}')}</id>",
        f"<title>{xml(title_of(page.query))}</title>",
        f"<updated>{times.text_of(updated)}</updated>",
        "<author><name>Humon</name></author>",
        f'<link rel="self" href="{page.address}{xml(page.link())}"/>',
    ]
    if page.next:
        lines.append(f'<link rel="next" href="{xml(page.link(page.next))}"/>')
    lines += [entry(row, page) for row in page.rows]
    return "".join(line + "\n" for line in [*lines, "</feed>"])
