/* Measures what SQLite alone takes to insert events, to show the limit of every server that uses it.
 *
 *     cc -O2 -o sqlite-inserts Benchmarks/sqlite-inserts.c -lsqlite3
 *     ./sqlite-inserts NEW-FILE INDEXES [BATCH] [PAGE-BYTES] [CACHE-KIB]
 *
 * INDEXES is the sum of 1: cells with all values that searches compare, 2: starts with these values,
 * 4: owners, 8: cells alone, 16: an R*Tree, without AUTOINCREMENT, 32: starts alone, and 64: owners
 * in blocks of 1,024 ids. It inserts 50,000 events first, and measures 60,000 more (15,000 one by one)
 * in transactions of BATCH events, 26 by default, with synchronous=FULL and a checkpoint after at
 * least 1,560 events.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { FIRST = 50000, MEASURED = 60000, FIRST_BATCH = 1000, CHECKPOINT = 1560, RTREE = 16 };

static sqlite3 *database;

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, 0, 0, 0)); }

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void insert_box(sqlite3_stmt *statement, double latitude, double longitude) {
    if (!statement) return;
    sqlite3_bind_int64(statement, 1, sqlite3_last_insert_rowid(database));
    sqlite3_bind_double(statement, 2, latitude);
    sqlite3_bind_double(statement, 3, longitude);
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
}

static void insert(sqlite3_stmt *statement, sqlite3_stmt *box, int number) {
    const sqlite3_int64 start = 1780000000000;
    double latitude = 37 + drand48(), longitude = -122 + drand48();
    sqlite3_bind_int(statement, 1, 1 + lrand48() % 1000);
    sqlite3_bind_double(statement, 2, latitude);
    sqlite3_bind_double(statement, 3, longitude);
    sqlite3_bind_int64(statement, 4, start);
    sqlite3_bind_int64(statement, 5, start + 3 * 3600 * 1000);
    sqlite3_bind_int64(statement, 6, start + number);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)(drand48() * 1e18));
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
    insert_box(box, latitude, longitude);
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: sqlite-inserts NEW-FILE INDEXES [BATCH] [PAGE-BYTES] [CACHE-KIB]\n");
        return 64;
    }
    int indexes = atoi(words[2]);
    int batch = count > 3 ? atoi(words[3]) : 26;
    if (batch < 1) {
        fprintf(stderr, "BATCH must be at least 1\n");
        return 64;
    }
    const char *page = count > 4 ? words[4] : "4096", *cache = count > 5 ? words[5] : "16000";
    char settings[200];
    snprintf(settings, sizeof settings,
             "PRAGMA page_size=%d; PRAGMA journal_mode=wal; PRAGMA synchronous=full;"
             "PRAGMA cache_size=-%d; PRAGMA wal_autocheckpoint=0",
             atoi(page), atoi(cache));
    check(sqlite3_open(words[1], &database));
    run(settings);
    char table[500];
    snprintf(table, sizeof table,
             "CREATE TABLE events (id INTEGER PRIMARY KEY %s, owner_id INTEGER NOT NULL,"
             "name TEXT NOT NULL, address TEXT, latitude REAL NOT NULL, longitude REAL NOT NULL,"
             "started_at INTEGER NOT NULL, ended_at INTEGER, created_at INTEGER NOT NULL,"
             "cell INTEGER NOT NULL, span INTEGER NOT NULL) STRICT",
             indexes & RTREE ? "" : "AUTOINCREMENT");
    run(table);
    if (indexes & 1)
        run("CREATE INDEX places ON events"
            "(cell, started_at, ended_at, owner_id, latitude, longitude)");
    if (indexes & 2)
        run("CREATE INDEX starts ON events"
            "(span, started_at, id, ended_at, owner_id, latitude, longitude)");
    if (indexes & 4) run("CREATE INDEX owners ON events (owner_id)");
    if (indexes & 8) run("CREATE INDEX cells ON events (cell)");
    if (indexes & 32) run("CREATE INDEX short_starts ON events (span, started_at)");
    if (indexes & 64) run("CREATE INDEX block_owners ON events (id >> 10, owner_id)");
    sqlite3_stmt *statement, *box = 0;
    if (indexes & RTREE) {
        run("CREATE VIRTUAL TABLE boxes USING rtree"
            "(id, latitude, latitude_end, longitude, longitude_end)");
        check(sqlite3_prepare_v2(database, "INSERT INTO boxes VALUES (?1, ?2, ?2, ?3, ?3)", -1,
                                 &box, 0));
    }
    check(sqlite3_prepare_v2(
        database,
        "INSERT INTO events (owner_id, name, address, latitude, longitude, started_at, ended_at,"
        "created_at, cell, span) VALUES"
        "(?, 'Benchmark event', '123 Market Street', ?, ?, ?, ?, ?, ?, 2)",
        -1, &statement, 0));
    int measured = batch > 1 ? MEASURED : MEASURED / 4;
    int since_checkpoint = 0;
    double began = 0;
    struct rusage before = {0}, after;
    for (int number = 0; number < FIRST + measured;) {
        if (number == FIRST) {
            /* Keeps the file, so that its growth isn't measured. */
            check(sqlite3_wal_checkpoint_v2(database, 0, SQLITE_CHECKPOINT_RESTART, 0, 0));
            getrusage(RUSAGE_SELF, &before);
            began = clock_seconds();
        }
        int end = number + (number < FIRST ? FIRST_BATCH : batch);
        since_checkpoint += end - number;
        run("BEGIN IMMEDIATE");
        while (number < end && number < FIRST + measured) insert(statement, box, number++);
        run("COMMIT");
        if (since_checkpoint >= CHECKPOINT) {
            check(sqlite3_wal_checkpoint_v2(database, 0, SQLITE_CHECKPOINT_PASSIVE, 0, 0));
            since_checkpoint = 0;
        }
    }
    double elapsed = clock_seconds() - began;
    getrusage(RUSAGE_SELF, &after);
    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    printf("%.0f inserts/s, %.1f us of CPU for each (user %.1f, system %.1f)\n", measured / elapsed,
           (user + system) / measured * 1e6, user / measured * 1e6, system / measured * 1e6);
    return 0;
}
