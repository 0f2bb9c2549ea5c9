// The parts of Linux's C interface that Glibc's Swift module leaves out.
#include <linux/close_range.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/vfs.h>

// Declared by the system's header for _GNU_SOURCE only.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned first, unsigned last, int flags);
extern int renameat2(
    int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags
);
