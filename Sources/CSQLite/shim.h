#include <sqlite3.h>

/* Swift can call neither variadic functions nor use macros that cast, hence these. */

/* Must come before the first connection. Without its statistics SQLite's allocator needs no lock
   that all threads share. */
static inline int humon_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static inline int humon_sqlite3_set_flag(sqlite3 *database, int flag, int value, int *result) {
    return sqlite3_db_config(database, flag, value, result);
}

/* SQLite copies the bytes. A null pointer, which stands for no bytes here, would mean NULL to it. */
static inline int humon_sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(
        statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int humon_sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count
) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/* The head of a file of ours; the file of the system's own layer follows it. */
typedef struct {
    sqlite3_file file;
    void *state;
} humon_layered_file;
