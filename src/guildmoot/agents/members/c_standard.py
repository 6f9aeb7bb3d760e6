"""What the standard headers of C and POSIX give, as far as code often asks for it."""

from __future__ import annotations

_GIVES = {
    "string.h": """memcpy memmove memset memcmp memchr strlen strcpy strncpy strcat strncat strcmp strncmp strchr
        strrchr strstr strtok strtok_r strdup strndup strerror strspn strcspn strpbrk strcoll""",
    "strings.h": "strcasecmp strncasecmp",
    "stdlib.h": """malloc calloc realloc free exit abort atexit atoi atol atof strtol strtoul strtoll strtoull strtod
        getenv setenv unsetenv qsort bsearch rand srand system mkstemp EXIT_SUCCESS EXIT_FAILURE RAND_MAX""",
    "stdio.h": """printf fprintf sprintf snprintf vprintf vfprintf vsnprintf puts fputs fputc putchar fgets fgetc getc
        fopen fclose fread fwrite fseek ftell rewind fflush perror fileno fdopen sscanf fscanf scanf ungetc feof ferror
        FILE stdin stdout stderr EOF""",
    "ctype.h": "isalpha isdigit isalnum isspace isupper islower isprint ispunct isxdigit iscntrl toupper tolower",
    "math.h": """sqrt pow floor ceil fabs fmod sin cos tan atan atan2 exp log log10 log2 round trunc isnan isinf lround
        INFINITY NAN HUGE_VAL""",
    "time.h": "time localtime gmtime localtime_r gmtime_r mktime strftime difftime clock clock_gettime nanosleep",
    "sys/time.h": "gettimeofday",
    "errno.h": "errno EINTR EAGAIN EINVAL ENOMEM ENOENT EEXIST EBADF EPIPE ETIMEDOUT ECONNRESET EWOULDBLOCK ERANGE",
    "assert.h": "assert",
    "unistd.h": """close read write lseek unlink access getpid getcwd chdir dup dup2 pipe fork execv execvp usleep
        isatty rmdir ftruncate fsync getuid gethostname STDIN_FILENO STDOUT_FILENO STDERR_FILENO""",
    "fcntl.h": "fcntl open creat O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_NONBLOCK O_CLOEXEC F_GETFL F_SETFL F_SETFD",
    "sys/stat.h": "stat fstat lstat mkdir chmod umask S_ISDIR S_ISREG S_IRUSR S_IWUSR",
    "signal.h": "signal sigaction sigemptyset sigaddset sigprocmask kill raise SIGINT SIGTERM SIGPIPE SIG_IGN SIG_DFL",
    "sys/wait.h": "waitpid WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG WNOHANG",
    "sys/socket.h": """socket bind listen accept connect recv send recvfrom sendto setsockopt getsockopt shutdown
        AF_INET AF_INET6 AF_UNIX SOCK_STREAM SOCK_DGRAM SOL_SOCKET SO_REUSEADDR SO_ERROR""",
    "netinet/in.h": "INADDR_ANY INADDR_LOOPBACK IPPROTO_TCP IPPROTO_UDP",
    "netinet/tcp.h": "TCP_NODELAY TCP_KEEPIDLE TCP_KEEPINTVL",
    "arpa/inet.h": "inet_addr inet_ntoa inet_ntop inet_pton htons ntohs htonl ntohl",
    "netdb.h": "getaddrinfo freeaddrinfo gai_strerror gethostbyname",
    "poll.h": "poll POLLIN POLLOUT POLLERR POLLHUP",
    "dirent.h": "opendir readdir closedir DIR",
    "pthread.h": """pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock pthread_mutex_init
        pthread_cond_wait pthread_cond_signal pthread_t pthread_mutex_t""",
    "stdarg.h": "va_start va_end va_arg va_copy",
    "stdint.h": """uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t intptr_t UINT32_MAX
        UINT8_MAX UINT16_MAX INT32_MAX UINT64_MAX INT64_MAX SIZE_MAX""",
    "inttypes.h": "PRIu64 PRId64 PRIx64 PRIu32 PRId32 PRIx32 PRIi64 strtoimax strtoumax",
    "stdbool.h": "bool true false",
    "limits.h": "INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX CHAR_BIT PATH_MAX LLONG_MAX SHRT_MAX UCHAR_MAX",
    "float.h": "DBL_MAX DBL_MIN DBL_EPSILON FLT_MAX",
    "setjmp.h": "setjmp longjmp jmp_buf",
    "getopt.h": "getopt_long",
    "termios.h": "tcgetattr tcsetattr cfsetispeed cfsetospeed TCSANOW",
    "sys/ioctl.h": "ioctl",
    "sys/select.h": "select FD_SET FD_ZERO FD_ISSET FD_CLR",
    "sys/mman.h": "mmap munmap MAP_FAILED PROT_READ PROT_WRITE",
    **dict.fromkeys(("sys/un.h", "sys/types.h", "sys/param.h", "sys/resource.h", "sched.h"), ""),
    **dict.fromkeys(("semaphore.h", "pwd.h", "grp.h", "syslog.h", "wchar.h", "wctype.h"), ""),
    "sys/uio.h": "readv writev",
    "stddef.h": "offsetof",
    "locale.h": "setlocale LC_ALL",
}
_BRINGS = {
    "inttypes.h": "stdint.h",
    "string.h": "strings.h",
    "stdlib.h": "sys/select.h",
    "sys/time.h": "sys/select.h time.h",
    "sys/types.h": "sys/select.h stdint.h",
    "pthread.h": "time.h sys/select.h",
    "sys/wait.h": "signal.h",
    "sys/socket.h": "sys/uio.h",
    "sys/stat.h": "time.h fcntl.h",
    "fcntl.h": "sys/stat.h",
    "netinet/in.h": "sys/socket.h stdint.h arpa/inet.h",
    "netinet/tcp.h": "sys/socket.h stdint.h",
    "arpa/inet.h": "netinet/in.h sys/socket.h stdint.h",
    "netdb.h": "netinet/in.h sys/socket.h stdint.h arpa/inet.h",
    "signal.h": "time.h stdint.h",
    "time.h": "sys/time.h",
    "getopt.h": "unistd.h",
    "poll.h": "time.h",
    "dirent.h": "limits.h",
    "sys/un.h": "string.h sys/socket.h",
    "sys/mman.h": "fcntl.h",
    "unistd.h": "getopt.h",
    "sys/param.h": "limits.h signal.h",
    "sys/resource.h": "sys/time.h time.h",
    "wchar.h": "stdio.h",
    "sched.h": "time.h",
    "semaphore.h": "time.h",
}
"""What some system brings along; never told as lost while it is there."""
_OF_CPP = {f"c{name.removesuffix('.h')}": name for name in _GIVES if "/" not in name}
_OWN_OF_CPP_WORDS = """
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable
coroutine debugging deque exception execution expected filesystem flat_map flat_set format forward_list fstream
functional future generator hazard_pointer inplace_vector initializer_list iomanip ios iosfwd iostream istream
iterator latch limits linalg list locale map mdspan memory memory_resource mutex new numbers numeric optional
ostream print queue random ranges ratio rcu regex scoped_allocator semaphore set shared_mutex simd source_location
span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf string string_view strstream
syncstream system_error text_encoding thread tuple type_traits typeindex typeinfo unordered_map unordered_set
utility valarray variant vector version
cstddef cstdint cinttypes ciso646 cwchar cuchar cwctype cfenv cstdalign cstdbool ctgmath ccomplex
"""
_OWN_OF_CPP = frozenset(_OWN_OF_CPP_WORDS.split())
"""Of the language: what they bring stands in a namespace."""
STANDARD = frozenset((*_GIVES, *_OF_CPP))
SYSTEM = frozenset(
    (
        *("fcntl.h", "dirent.h", "sys/stat.h", "sys/socket.h", "poll.h", "netdb.h", "arpa/inet.h"),
        *("netinet/tcp.h", "sys/wait.h", "termios.h", "sys/ioctl.h", "sys/mman.h", "getopt.h"),
    )
)
"""Headers that none of C++ includes."""
NAMES = frozenset(word for words in _GIVES.values() for word in words.split())


def given_by(header: str) -> frozenset[str]:
    """The names a header stands for."""
    return frozenset(_GIVES.get(_OF_CPP.get(header, header), "").split())


def brought_by(header: str) -> frozenset[str]:
    """The same with those of the headers that it may include."""
    header = _OF_CPP.get(header, header)
    near = _BRINGS.get(header, "").split()
    far = [each for other in near for each in _BRINGS.get(other, "").split()]
    return frozenset[str]().union(*(given_by(each) for each in (header, *near, *far)))


def is_standard(header: str) -> bool:
    """Whether the language itself brings it."""
    return header in STANDARD or header in _OWN_OF_CPP
