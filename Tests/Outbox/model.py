"""What the server must have after the calls in a device's journal.

A call that has no end was killed: its write is there or not, so there are several possible results.
"""

import collections
import json


def problems(path, found):
    """Compares a journal with the events that the server has: (number, name, attendances)."""
    begun, ended = [], {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            if not text.endswith("\n"):
                break
            line = json.loads(text)
            if "operation" in line:
                begun.append((line["number"], line["operation"], line.get("target")))
            else:
                ended[line["number"]] = line.get("record")

    # The calls about each event and attendance; those about a record without a handle do nothing.
    calls = collections.defaultdict(list)
    attendances = {}
    for number, operation, target in begun:
        if target is not None and not ended.get(target):
            continue
        is_certain = number in ended
        if operation == "attend":
            attendances[number] = (target, {True} if is_certain else {True, False})
        elif operation == "cancel":
            event, possible = attendances[target]
            attendances[target] = (event, {False} if is_certain else possible | {False})
        else:
            calls[number if target is None else target].append((number, operation, is_certain))

    result = []
    names = collections.defaultdict(list)
    for number, name, count in found:
        names[number].append((name, count))
    for number in calls.keys() | names.keys():
        possible = outcomes(calls[number])
        shown = names[number]
        if len(shown) > 1:
            result.append(f"event {number} was stored {len(shown)} times")
        name, count = shown[0] if shown else (None, 0)
        if name not in possible:
            result.append(f"event {number} has the name {name}, but must have one of {possible}: "
                          f"{calls[number]}")
        if shown:
            counts = {frozenset(allowed) for event, allowed in attendances.values()
                      if event == number}
            for allowed in counts or {frozenset({False})}:
                if count > 1 or bool(count) not in allowed:
                    result.append(f"event {number} has {count} attendances, not {set(allowed)}")
    return result


def outcomes(calls):
    """Returns the possible names of an event; None stands for no event."""
    states = [()]
    for call in calls:
        number, operation, is_certain = call
        after = [applied(state, number, operation) for state in states]
        states = after if is_certain else states + after
    return {name(state) for state in states}


def applied(writes, number, operation):
    """Returns the writes in the outbox after a call, each with a name and whether it is valid."""
    if operation in ("create", "createInvalid", "update", "updateInvalid", "delete"):
        return (*writes, (operation.removesuffix("Invalid"), str(number),
                          not operation.endswith("Invalid")))
    # The others are about the first rejected write.
    for index, (kind, _, is_valid) in enumerate(writes):
        if is_valid:
            continue
        if operation == "replace":
            return (*writes[:index], (kind, str(number), True), *writes[index + 1:])
        return () if kind == "create" else (*writes[:index], *writes[index + 1:])
    return writes


def name(writes):
    """Returns the name of the event after its writes, of which none follows a rejected one."""
    result = None
    for kind, value, is_valid in writes:
        if not is_valid:
            break
        result = None if kind == "delete" else value
    return result
