// Package.swift defines the names. Only this file is compiled again when they change.
#include "build.h"

const char *humon_build_version(void) { return HUMON_VERSION; }

const char *humon_build_commit(void) { return HUMON_COMMIT; }

const char *humon_build_repository(void) { return HUMON_REPOSITORY; }
