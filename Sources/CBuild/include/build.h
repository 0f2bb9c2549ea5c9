#ifndef HUMON_BUILD_H
#define HUMON_BUILD_H

/* The version of this build, such as 0.2.0. The string is constant. */
const char *humon_build_version(void);
/* The commit that it was built from, 40 hexadecimal digits; empty if it is unknown. */
const char *humon_build_commit(void);
/* The URL of the repository, such as https://github.com/owner/humon; empty if it is unknown. */
const char *humon_build_repository(void);

#endif
