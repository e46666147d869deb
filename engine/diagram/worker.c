/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side: the only file that calls Graphviz. It runs in a separate process, has no file or socket of the
 * server except the one to its renderer, and draws one picture at a time. */
#include <errno.h>
#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/diagram/diagram_worker.h"
#include "engine/diagram/worker_frame.h"

static const char *const renderers[ORR_FORMAT_COUNT] = {
    [ORR_FORMAT_SVG] = "svg", [ORR_FORMAT_PNG] = "png:cairo", [ORR_FORMAT_PDF] = "pdf", [ORR_FORMAT_DOT] = "dot"};

/* Graphviz reports errors through a function without context, one graph at a time: its messages about the current one.
 */
static char complaint[200];

static int remember(char *message)
{
    size_t used = strlen(complaint);
    if (used + 1 < sizeof complaint)
        snprintf(complaint + used, sizeof complaint - used, "%s", message);
    return 0;
}

/* Returns 1 if all was read, 0 if the input ended before the first byte, -1 if it ended in between. */
static int read_all(int fd, void *buffer, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, (char *)buffer + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 && done == 0 ? 0 : -1;
        done += (size_t)got;
    }
    return 1;
}

static bool write_all(int fd, const void *buffer, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(fd, (const char *)buffer + done, length - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool answer(enum orr_frame_kind kind, const char *bytes, size_t length)
{
    struct orr_worker_frame frame = {.kind = kind, .length = length};
    return write_all(STDOUT_FILENO, &frame, sizeof frame) && write_all(STDOUT_FILENO, bytes, length);
}

static bool refuse(const char *reason)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s%s", reason, *complaint ? ": " : "", complaint);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    return answer(ORR_FRAME_FAILURE, text, length);
}

static void limit(int resource, rlim_t value)
{
    struct rlimit limits;
    if (getrlimit((__rlimit_resource_t)resource, &limits) != 0)
        return;
    if (limits.rlim_max == RLIM_INFINITY || value < limits.rlim_max)
        limits.rlim_max = value;
    limits.rlim_cur = limits.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &limits);
}

static void take_limits(const struct orr_worker_limits *limits)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);      /* fonts and plugins */
    limit(RLIMIT_FSIZE, 16 << 20); /* only fontconfig may write files, for its cache */
    limit(RLIMIT_CPU, limits->cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their shadow takes terabytes of addresses */
    limit(RLIMIT_AS, limits->memory);
#endif
}

/* PNG at twice the usual resolution, or less if that were more pixels than cairo or the memory can handle. */
static void choose_resolution(graph_t *graph)
{
    static char bb[] = "bb", dpi[] = "dpi", none[] = "";
    double width = 0, height = 0;
    const char *box = agget(graph, bb);
    if (!box || sscanf(box, "%*f,%*f,%lf,%lf", &width, &height) != 2)
        return;
    double side = width > height ? width : height, most = 144;
    if (side * most / 72 > 12000)
        most = 12000 * 72 / side;
    char text[32];
    snprintf(text, sizeof text, "%.1f", most < 4 ? 4 : most);
    agsafeset(graph, dpi, text, none);
}

static bool draw(GVC_t *gvc, const char *dot, enum orr_format format, size_t ceiling)
{
    complaint[0] = 0;
    agreseterrors();
    graph_t *graph = agmemread(dot);
    if (!graph)
        return refuse("the DOT text cannot be read");
    if (format == ORR_FORMAT_PNG)
        choose_resolution(graph);
    bool sent;
    char *bytes = NULL;
    unsigned length = 0;
    /* A node without a place is reported, but the layout says all is well. */
    if (gvLayout(gvc, graph, "nop2") != 0 || agerrors() >= AGERR) {
        sent = refuse("Graphviz cannot lay the picture out");
    } else {
        if (gvRenderData(gvc, graph, renderers[format], &bytes, &length) != 0 || !bytes || !length)
            sent = refuse("Graphviz cannot draw the picture");
        else if (length > ceiling)
            sent = refuse("the picture is larger than the limit");
        else
            sent = answer(ORR_FRAME_PICTURE, bytes, length);
        if (bytes)
            gvFreeRenderData(bytes);
        gvFreeLayout(gvc, graph);
    }
    agclose(graph);
    return sent;
}

/* If the server is killed, its end of the socket closes, and the worker ends. PR_SET_PDEATHSIG would not do: it ends
 * the worker together with the thread that started it, while other threads may still use it. */
static void *end_with_the_server(void *unused)
{
    struct pollfd server = {.fd = STDIN_FILENO, .events = POLLRDHUP};
    while (poll(&server, 1, -1) < 0 && errno == EINTR)
        continue;
    _exit(0);
    return unused;
}

/* The portable archive has fonts of its own beside its libraries, for systems without any: lib/orrery/fonts.conf names
 * lib/orrery/fonts as XDG_DATA_HOME/fonts, since older fontconfig knows no folder relative to the file. */
static void use_fonts_that_came_along(void)
{
    char folder[4096 + 64], file[sizeof folder + 16];
    ssize_t length = readlink("/proc/self/exe", folder, 4096);
    if (length <= 0)
        return;
    folder[length] = 0;
    stpcpy(strrchr(folder, '/'), "/../../lib/orrery");
    snprintf(file, sizeof file, "%s/fonts.conf", folder);
    if (access(file, R_OK))
        return;
    setenv("FONTCONFIG_FILE", file, 1);
    setenv("XDG_DATA_HOME", folder, 1);
}

/* From here on, system calls that drawing never needs are refused, so that a fault in Graphviz or a font library can do
 * less harm: other programs, networks, other processes and their files, and changes of files except the font cache.
 * io_uring is refused because no filter sees its calls; the x32 ABI uses x86-64's numbers with another bit set. */
void orr_render_worker_confine(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    static const uint32_t refused[] = {
        __NR_execve,
        __NR_execveat,
        __NR_socket,
        __NR_socketpair,
        __NR_connect,
        __NR_bind,
        __NR_listen,
        __NR_accept4,
        __NR_ptrace,
        __NR_kill,
        __NR_process_vm_readv,
        __NR_mount,
        __NR_umount2,
        __NR_bpf,
        __NR_setuid,
        __NR_setgid,
        __NR_unshare,
        __NR_process_vm_writev,
        __NR_setns,
        __NR_symlinkat,
        __NR_chroot,
        __NR_init_module,
        __NR_userfaultfd,
        __NR_perf_event_open,
        __NR_keyctl,
        __NR_mknodat,
        __NR_tkill,
        __NR_io_uring_setup,
        __NR_rt_sigqueueinfo,
        __NR_pidfd_send_signal,
        __NR_tgkill,
        __NR_accept,
        __NR_open_by_handle_at,
        __NR_pidfd_getfd,
        __NR_rt_tgsigqueueinfo,
#ifdef __x86_64__
        __NR_fork,
        __NR_vfork,
#endif
    };
    enum { COUNT = sizeof refused / sizeof refused[0], HEAD = 5, FIRST_OF_X32 = 0x40000000 };
    struct sock_filter program[HEAD + COUNT + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_X32, COUNT + 1, 0),
    };
    for (size_t i = 0; i < COUNT; i++)
        program[HEAD + i] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], (uint8_t)(COUNT - i), 0);
    program[HEAD + COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[HEAD + COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) /* an old kernel draws all the same */
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
}

int orr_render_worker_main(void)
{
    struct orr_worker_frame frame;
    struct orr_worker_limits limits;
    if (read_all(STDIN_FILENO, &frame, sizeof frame) != 1 || frame.kind != ORR_FRAME_LIMITS ||
        frame.length != sizeof limits || read_all(STDIN_FILENO, &limits, sizeof limits) != 1) {
        fprintf(stderr, "orrery render-worker: started by `orrery serve` and `orrery render`, not by hand\n");
        return 2;
    }
    take_limits(&limits);
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, end_with_the_server, NULL) != 0)
        return 1;
    setenv("SERVER_NAME", "orrery", 1); /* Graphviz then opens no file that a graph names */
    unsetenv("GV_FILE_PATH");
    use_fonts_that_came_along();
    agseterrf(remember);
    agseterr(AGWARN);
    GVC_t *gvc = gvContext();
    orr_render_worker_confine();
    int status = gvc ? 0 : 1;
    while (gvc && read_all(STDIN_FILENO, &frame, sizeof frame) == 1) {
        char *dot = frame.length < SIZE_MAX ? malloc(frame.length + 1) : NULL;
        if (frame.kind != ORR_FRAME_DRAW || frame.detail >= ORR_FORMAT_COUNT || !dot ||
            read_all(STDIN_FILENO, dot, frame.length) != 1) {
            free(dot);
            status = 1;
            break;
        }
        dot[frame.length] = 0;
        bool sent = draw(gvc, dot, (enum orr_format)frame.detail, limits.output);
        free(dot);
        if (!sent)
            break;
    }
    /* Skips the libraries' own clean-up, which takes long; the end of the process frees everything. */
    fflush(NULL);
    _exit(status);
}
