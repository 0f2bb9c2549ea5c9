"""Is receiver.py, and sends a push to the phones near each new event."""

import json
import math
import sqlite3
import threading
import time
import traceback

import receiver
from push_service import send  # Your own: see below.

RADIUS = 5  # km

receiver.database.executescript("""
    CREATE TABLE IF NOT EXISTS devices (token TEXT PRIMARY KEY, lat REAL, lon REAL);
    CREATE TABLE IF NOT EXISTS pushes (
        event INTEGER, token TEXT, sent_at INTEGER, PRIMARY KEY (event, token));
""")


def queue_pushes(change):
    """Stores who gets a push, in the transaction that stores the event."""
    if change["type"] != "event" or change["op"] != "enter":
        return
    event = change["event"]
    # A degree of latitude is 111 km.
    devices = receiver.database.execute(
        "SELECT token, lat, lon FROM devices WHERE abs(lat - ?) <= ?", (event["lat"], RADIUS / 111))
    for token, lat, lon in devices.fetchall():
        if distance(lat, lon, event["lat"], event["lon"]) <= RADIUS:
            receiver.database.execute(
                "INSERT OR IGNORE INTO pushes (event, token) VALUES (?, ?)", (event["id"], token))


def send_pushes():
    """Sends the stored pushes. An event that is gone meanwhile gets none."""
    database = sqlite3.connect("mirror.sqlite3", isolation_level=None)
    while True:
        try:
            waiting = database.execute(
                "SELECT token, id, events.event FROM pushes JOIN events ON id = pushes.event"
                " WHERE sent_at IS NULL").fetchall()
            for token, id, event in waiting:
                send(token, json.loads(event))
                database.execute("UPDATE pushes SET sent_at = ? WHERE event = ? AND token = ?",
                                 (int(time.time()), id, token))
        except Exception:
            traceback.print_exc()
        time.sleep(1)


def distance(lat1, lon1, lat2, lon2):
    """Returns the great-circle distance in km."""
    lat1, lon1, lat2, lon2 = map(math.radians, (lat1, lon1, lat2, lon2))
    a = (math.sin((lat2 - lat1) / 2) ** 2
         + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2)
    return 2 * 6371 * math.asin(math.sqrt(a))


receiver.news = queue_pushes
threading.Thread(target=send_pushes, daemon=True).start()
receiver.serve()
