"""Known-bad databases for `Tests/Sync/oracle`: each breaks a rule of the log, and must fail."""

NOW = "CAST(strftime('%s', 'now') AS INTEGER) * 1000"


def changed_event(values):
    """Returns SQL that replaces the trigger which logs changed events."""
    return ("DROP TRIGGER log_changed_event; CREATE TRIGGER log_changed_event"
            " AFTER UPDATE ON events BEGIN INSERT INTO changes"
            " (kind, record_id, user_id, was_public, latitude, longitude, changed_at)"
            f" VALUES (1, OLD.id, OLD.owner_id, {values}, {NOW}); END")


# The SQL that breaks a rule on SQLite.
TWINS = {
    "private-events": changed_event("1, OLD.latitude, OLD.longitude"),
    "new-visibility": changed_event(
        "NEW.visibility IS NULL AND NEW.hidden = 0, OLD.latitude, OLD.longitude"),
    "new-place": changed_event(
        "OLD.visibility IS NULL AND OLD.hidden = 0, NEW.latitude, NEW.longitude"),
    "no-place": changed_event("OLD.visibility IS NULL AND OLD.hidden = 0, NULL, NULL"),
    "deleted-events": "DROP TRIGGER log_deleted_event",
    "replaced-events": "DROP TRIGGER log_replaced_event",
    "renumbered-events": "DROP TRIGGER log_renumbered_event",
    "deleted-attendances": "DROP TRIGGER log_deleted_attendance",
    "moved-attendances": "DROP TRIGGER log_moved_attendance",
    "blocks": "DROP TRIGGER log_new_block; DROP TRIGGER log_deleted_block",
    "deleted-tasks": "DROP TRIGGER log_deleted_task",
    "moved-tasks": "DROP TRIGGER log_moved_task",
}


def apply(nodes, name):
    """Breaks a rule in the database of a server, which must run on SQLite."""
    nodes.storage.run(TWINS[name])
