"""Random SQL statements that other programs could run in the database of a server."""

import filters

COLUMNS = "(owner_id, name, latitude, longitude, started_at, created_at, updated_at)"
START = 2095891200000  # 2036-06-01
DAY = 86_400_000

# Users of whom one blocks the other can't attend each other's events.
ARE_BLOCKED = ("EXISTS (SELECT 1 FROM blocks WHERE {0} IN (blocks.user_id, blocked_id)"
               " AND {1} IN (blocks.user_id, blocked_id))")
# Foreign keys refer to the ids of the other events.
IS_FREE = ("id NOT IN (SELECT event_id FROM attendances)"
           " AND id NOT IN (SELECT event_id FROM invitations)")


class Statements:
    """Makes random statements that change a few rows, or rarely all."""

    def __init__(self, random, people, is_sqlite, name):
        """`name` is a function that returns a new name."""
        self.random, self.people, self.is_sqlite, self.name = random, people, is_sqlite, name

    def one(self):
        kinds = {self.insert_event: 6, self.move_events: 10, self.hide_events: 4,
                 self.change_visibility: 4, self.change_attributes: 4, self.change_owner: 3,
                 self.change_nothing: 2, self.delete_events: 1, self.renumber_event: 1,
                 self.replace_events: 4 if self.is_sqlite else 0,
                 self.insert_attendances: 4, self.delete_attendances: 1, self.move_attendances: 4,
                 self.insert_task: 2, self.move_tasks: 2, self.renumber_task: 1,
                 self.delete_tasks: 1, self.delete_all: 0.15}
        return self.random.choices(list(kinds), list(kinds.values()))[0]()

    def transaction(self):
        """Returns statements, alone or in one of the transactions that programs use."""
        few = [self.one() for _ in range(self.random.randint(1, 4))]
        way = self.random.random()
        if way < 0.4:
            return few[:1]
        if way < 0.55:
            return ["BEGIN", *few, "ROLLBACK"]
        if way < 0.7:
            end = self.random.choice(("ROLLBACK TO one", "RELEASE one"))
            return ["BEGIN", self.one(), "SAVEPOINT one", *few, end, self.one(), "COMMIT"]
        if way < 0.74 and not self.is_sqlite:
            return ["BEGIN", "SET LOCAL humon.bulk = 'on'", *few, "COMMIT"]
        return ["BEGIN", *few, "COMMIT"]

    # Parts

    def some(self):
        """Returns a condition for a few rows."""
        divisor = self.random.choice((5, 11, 23, 60))
        return f"id % {divisor} = {self.random.randrange(divisor)}"

    def user(self):
        return self.random.choice(self.people).id

    def account(self):
        return self.random.choice(self.people).account

    def renumber(self, table, condition):
        new = f"nextval('{table}_id_seq')"
        if self.is_sqlite:
            new = f"(SELECT max(id) + 1 FROM {table})"
        return (f"UPDATE {table} SET id = {new} WHERE id ="
                f" (SELECT min(id) FROM {table} WHERE {condition})")

    # Events

    def insert_event(self):
        latitude, longitude = filters.random_place(self.random)
        start = START + self.random.randint(0, 8) * DAY
        return (f"INSERT INTO events {COLUMNS} VALUES ({self.user()}, '{self.name()}',"
                f" {latitude}, {longitude}, {start}, 0, 0)")

    def move_events(self):
        if self.random.random() < 0.4:
            north = self.random.uniform(-0.3, 0.3)
            return (f"UPDATE events SET latitude = latitude + {north:.4f}"
                    f" WHERE {self.some()} AND abs(latitude) < 80")
        latitude, longitude = filters.random_place(self.random)
        return (f"UPDATE events SET latitude = {latitude}, longitude = {longitude}"
                f" WHERE {self.some()}")

    def hide_events(self):
        return f"UPDATE events SET hidden = {self.random.choice((0, 0, 1, 4))} WHERE {self.some()}"

    def change_visibility(self):
        visibility = self.random.choice(("NULL", "NULL", "'private'"))
        return f"UPDATE events SET visibility = {visibility} WHERE {self.some()}"

    def change_attributes(self):
        category = self.random.choice(("NULL", "'music'"))
        status = self.random.choice(("NULL", "'cancelled'"))
        return (f"UPDATE events SET category = {category}, status = {status},"
                f" name = '{self.name()}' WHERE {self.some()}")

    def change_owner(self):
        user = self.user()
        return (f"UPDATE events SET owner_id = {user} WHERE {self.some()} AND NOT EXISTS"
                " (SELECT 1 FROM attendances WHERE event_id = events.id AND"
                f" {ARE_BLOCKED.format(user, 'attendances.user_id')})")

    def change_nothing(self):
        return f"UPDATE events SET name = name WHERE {self.some()}"

    def delete_events(self):
        return f"DELETE FROM events WHERE {self.some()}"

    def renumber_event(self):
        return self.renumber("events", f"{self.some()} AND {IS_FREE}")

    def replace_events(self):
        return (f"INSERT OR REPLACE INTO events {COLUMNS[:-1]}, id) SELECT {self.user()},"
                f" '{self.name()}', latitude, longitude, started_at, 0, 0, id FROM events"
                f" WHERE {self.some()}")

    def delete_all(self):
        table = self.random.choice(("events", "attendances", "todo_tasks"))
        if self.is_sqlite:
            return f"DELETE FROM {table}"
        # TRUNCATE fails while triggers of the transaction are deferred.
        return f"SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE {table} CASCADE"

    # Attendances and tasks

    def insert_attendances(self):
        user = self.user()
        return (f"INSERT INTO attendances (user_id, event_id, created_at) SELECT {user}, id, 0"
                f" FROM events WHERE {self.some()} AND NOT {ARE_BLOCKED.format(user, 'owner_id')}"
                " ON CONFLICT DO NOTHING")

    def delete_attendances(self):
        return f"DELETE FROM attendances WHERE {self.some()}"

    def move_attendances(self):
        """Gives attendances to another user, who must neither have one nor be blocked."""
        user = self.user()
        # At most one of each event.
        some = f"id IN (SELECT min(id) FROM attendances WHERE {self.some()} GROUP BY event_id)"
        return (f"UPDATE attendances SET user_id = {user} WHERE {some} AND NOT EXISTS"
                " (SELECT 1 FROM attendances AS other WHERE other.event_id = attendances.event_id"
                f" AND other.user_id = {user}) AND NOT EXISTS (SELECT 1 FROM events"
                f" WHERE events.id = event_id AND {ARE_BLOCKED.format(user, 'owner_id')})")

    def insert_task(self):
        completed = "0" if self.is_sqlite else "FALSE"
        return ("INSERT INTO todo_tasks (account_id, title, is_completed, created_at, updated_at)"
                f" VALUES ({self.account()}, '{self.name()}', {completed}, 0, 0)")

    def move_tasks(self):
        return f"UPDATE todo_tasks SET account_id = {self.account()} WHERE {self.some()}"

    def renumber_task(self):
        return self.renumber("todo_tasks", self.some())

    def delete_tasks(self):
        return f"DELETE FROM todo_tasks WHERE {self.some()}"
