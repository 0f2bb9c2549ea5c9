// The parts of Linux's C interface that Glibc's Swift module leaves out.
#include <linux/close_range.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <sys/sysmacros.h>

// Declared by the system's header for _GNU_SOURCE only.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned first, unsigned last, int flags);
extern int renameat2(
    int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags
);
extern int statx(
    int folder, const char *path, int flags, unsigned int fields, struct statx *status
);
extern void *mremap(void *address, size_t old_size, size_t new_size, int flags, ...);
extern ssize_t process_vm_readv(
    pid_t process, const struct iovec *local, unsigned long local_count,
    const struct iovec *remote, unsigned long remote_count, unsigned long flags
);

#define HUMON_AT_EMPTY_PATH 0x1000
/* Together with O_DIRECTORY: a file without a name (open(2), O_TMPFILE). */
#define HUMON_O_TMPFILE 020000000

/* Swift can't call variadic functions. */

/* Maps the pages of a shared mapping a second time, somewhere else; MAP_FAILED if it can't. */
static inline void *humon_map_again(void *address, size_t size) {
    return mremap(address, 0, size, 1 /* MREMAP_MAYMOVE */);
}

/* Puts a mapping in the place of another one. */
static inline void *humon_move_mapping(void *address, size_t size, void *place) {
    return mremap(address, size, size, 3 /* MREMAP_MAYMOVE | MREMAP_FIXED */, place);
}

/* Has the filesystem change an empty file's blocks in place; an error where it can't. */
static inline int humon_disable_copy_on_write(int descriptor) {
    int flags = FS_NOCOW_FL;
    return ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
}
