//! The standard library of C and the system's own: which header declares which function.
//!
//! A name of this table that a file can only have from such a header ends the search: nothing of the tree is meant.

/// Headers with the functions that they declare.
const HEADERS: &[(&str, &[&str])] = &[
    ("assert.h", &["assert"]),
    (
        "ctype.h",
        &[
            "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
            "ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper",
        ],
    ),
    ("dlfcn.h", &["dlclose", "dlerror", "dlopen", "dlsym"]),
    ("errno.h", &["errno"]),
    ("fcntl.h", &["creat", "fcntl", "open", "openat"]),
    (
        "math.h",
        &[
            "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "fabs",
            "floor", "fmax", "fmin", "fmod", "frexp", "hypot", "isinf", "isnan", "ldexp", "log",
            "log10", "log2", "lround", "modf", "pow", "round", "sin", "sinh", "sqrt", "tan",
            "tanh", "trunc",
        ],
    ),
    (
        "pthread.h",
        &[
            "pthread_cond_broadcast",
            "pthread_cond_destroy",
            "pthread_cond_init",
            "pthread_cond_signal",
            "pthread_cond_wait",
            "pthread_create",
            "pthread_detach",
            "pthread_exit",
            "pthread_join",
            "pthread_mutex_destroy",
            "pthread_mutex_init",
            "pthread_mutex_lock",
            "pthread_mutex_unlock",
            "pthread_once",
            "pthread_self",
        ],
    ),
    ("setjmp.h", &["longjmp", "setjmp"]),
    (
        "signal.h",
        &[
            "kill",
            "raise",
            "sigaction",
            "sigaddset",
            "sigemptyset",
            "sigfillset",
            "signal",
            "sigprocmask",
        ],
    ),
    ("stdarg.h", &["va_arg", "va_copy", "va_end", "va_start"]),
    ("stddef.h", &["offsetof"]),
    (
        "stdio.h",
        &[
            "clearerr",
            "dprintf",
            "fclose",
            "fdopen",
            "feof",
            "ferror",
            "fflush",
            "fgetc",
            "fgets",
            "fileno",
            "fopen",
            "fprintf",
            "fputc",
            "fputs",
            "fread",
            "freopen",
            "fscanf",
            "fseek",
            "fseeko",
            "ftell",
            "ftello",
            "fwrite",
            "getc",
            "getchar",
            "getdelim",
            "getline",
            "gets",
            "pclose",
            "perror",
            "popen",
            "printf",
            "putc",
            "putchar",
            "puts",
            "remove",
            "rename",
            "rewind",
            "scanf",
            "setbuf",
            "setvbuf",
            "snprintf",
            "sprintf",
            "sscanf",
            "stderr",
            "stdin",
            "stdout",
            "tmpfile",
            "ungetc",
            "vfprintf",
            "vprintf",
            "vsnprintf",
            "vsprintf",
        ],
    ),
    (
        "stdlib.h",
        &[
            "abort",
            "abs",
            "atexit",
            "atof",
            "atoi",
            "atol",
            "atoll",
            "bsearch",
            "calloc",
            "div",
            "exit",
            "free",
            "getenv",
            "labs",
            "malloc",
            "mkdtemp",
            "mkstemp",
            "posix_memalign",
            "putenv",
            "qsort",
            "rand",
            "random",
            "realloc",
            "realpath",
            "setenv",
            "srand",
            "strtod",
            "strtof",
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "system",
            "unsetenv",
        ],
    ),
    (
        "string.h",
        &[
            "memchr", "memcmp", "memcpy", "memmove", "memset", "stpcpy", "strcat", "strchr",
            "strcmp", "strcpy", "strcspn", "strdup", "strerror", "strlen", "strncat", "strncmp",
            "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr",
            "strtok", "strtok_r",
        ],
    ),
    (
        "strings.h",
        &[
            "bcmp",
            "bcopy",
            "bzero",
            "index",
            "rindex",
            "strcasecmp",
            "strncasecmp",
        ],
    ),
    ("sys/ioctl.h", &["ioctl"]),
    (
        "sys/mman.h",
        &["madvise", "mlock", "mmap", "mprotect", "msync", "munmap"],
    ),
    ("sys/select.h", &["select"]),
    (
        "sys/socket.h",
        &[
            "accept",
            "bind",
            "connect",
            "getsockname",
            "getsockopt",
            "listen",
            "recv",
            "recvfrom",
            "recvmsg",
            "send",
            "sendmsg",
            "sendto",
            "setsockopt",
            "shutdown",
            "socket",
            "socketpair",
        ],
    ),
    (
        "sys/stat.h",
        &[
            "chmod", "fchmod", "fstat", "lstat", "mkdir", "mkfifo", "stat", "umask",
        ],
    ),
    ("sys/wait.h", &["wait", "waitpid"]),
    (
        "time.h",
        &[
            "asctime",
            "clock",
            "clock_gettime",
            "ctime",
            "difftime",
            "gmtime",
            "gmtime_r",
            "localtime",
            "localtime_r",
            "mktime",
            "nanosleep",
            "strftime",
            "time",
        ],
    ),
    (
        "unistd.h",
        &[
            "_exit",
            "access",
            "alarm",
            "chdir",
            "chown",
            "close",
            "dup",
            "dup2",
            "execl",
            "execlp",
            "execv",
            "execve",
            "execvp",
            "fork",
            "fsync",
            "ftruncate",
            "getcwd",
            "geteuid",
            "getopt",
            "getpid",
            "getppid",
            "getuid",
            "isatty",
            "link",
            "lseek",
            "pause",
            "pipe",
            "pread",
            "pwrite",
            "read",
            "readlink",
            "rmdir",
            "setsid",
            "setuid",
            "sleep",
            "symlink",
            "sysconf",
            "unlink",
            "usleep",
            "write",
        ],
    ),
];

/// The place of a header in the table, by the name under which it is included (`cstdio` is `stdio.h`).
pub(super) fn header(name: &str) -> Option<u32> {
    let found = |wanted: &str| HEADERS.iter().position(|(h, _)| *h == wanted);
    let place = found(name).or_else(|| {
        let bare = name.strip_prefix('c')?;
        found(&format!("{bare}.h"))
    })?;
    u32::try_from(place).ok()
}

/// The header that declares a function.
pub(super) fn declared_in(name: &str) -> Option<(u32, &'static str)> {
    let place = HEADERS
        .iter()
        .position(|(_, names)| names.binary_search(&name).is_ok())?;
    let (header, _) = HEADERS.get(place)?;
    Some((u32::try_from(place).ok()?, header))
}

/// Words that are called like functions and are none, and what compilers provide.
pub(super) fn is_builtin(name: &str) -> bool {
    name.starts_with("__builtin_")
        || matches!(
            name,
            "sizeof"
                | "alignof"
                | "_Alignof"
                | "__alignof__"
                | "typeof"
                | "__typeof__"
                | "defined"
                | "asm"
                | "__asm__"
                | "__attribute__"
                | "_Static_assert"
                | "static_assert"
                | "_Generic"
                | "NULL"
                | "nullptr"
                | "true"
                | "false"
                | "__func__"
                | "__FILE__"
                | "__LINE__"
                | "__VA_ARGS__"
                | "decltype"
                | "noexcept"
                | "typeid"
        )
}

/// Templates of the C++ library that stand for what they hold.
pub(super) fn is_pointer_like(name: &str) -> bool {
    matches!(
        name,
        "unique_ptr" | "shared_ptr" | "weak_ptr" | "optional" | "reference_wrapper" | "atomic"
    )
}

/// Templates of the C++ library that hold a sequence.
pub(super) fn is_sequence(name: &str) -> bool {
    matches!(
        name,
        "vector"
            | "list"
            | "deque"
            | "array"
            | "set"
            | "unordered_set"
            | "multiset"
            | "span"
            | "initializer_list"
            | "forward_list"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_fit_a_mask() {
        assert!(HEADERS.len() <= 64);
        for (header, names) in HEADERS {
            assert!(names.is_sorted(), "{header}");
        }
        assert_eq!(declared_in("printf").map(|d| d.1), Some("stdio.h"));
        assert_eq!(header("cstdio"), header("stdio.h"));
    }
}
