"""Words that every object, class or program of Ruby has, and those that frameworks give to whoever asks for them."""

from __future__ import annotations

from guildmoot.text.patterns import lazy

_KEYWORDS = """
BEGIN END __ENCODING__ __FILE__ __LINE__ __dir__ __method__ __callee__ __id__ __send__ __END__ alias and begin break
case class def defined? do else elsif end ensure false for if in module next nil not or redo rescue retry return self
super then true undef unless until when while yield it _ _1 _2 _3 _4 _5 _6 _7 _8 _9
"""
_KERNEL = """
Array Complex Float Hash Integer Rational String abort at_exit autoload autoload? binding block_given? callcc caller
caller_locations catch eval exec exit exit! fail fork format gem gets global_variables gsub sub chomp chop initialize
initialize_clone initialize_copy initialize_dup iterator? lambda load local_variables loop method_missing open p pp
print printf proc putc puts raise rand readline readlines require require_relative require_dependency
respond_to_missing? select set_trace_func sleep spawn sprintf srand syscall system test throw trace_trap trace_var
untrace_var trap warn y j jj URI Pathname BigDecimal
clone define_singleton_method display dup enum_for eql? equal? extend freeze frozen? hash inspect instance_of?
instance_eval instance_exec instance_variable_defined? instance_variable_get instance_variable_set
instance_variables is_a? itself kind_of? method methods nil? object_id private_methods protected_methods public_method
public_methods public_send remove_instance_variable respond_to? send singleton_class singleton_method
singleton_methods tap to_enum to_s yield_self instance_variable_names
alias_method allocate ancestors append_features attr attr_accessor attr_reader attr_writer class_eval class_exec
class_variable_defined? class_variable_get class_variable_set class_variables const_defined?
const_get const_missing const_set const_source_location constants define_method deprecate_constant extend_object
extended include include? included included_modules inherited instance_method instance_methods method_added
method_defined? method_removed method_undefined module_eval module_exec module_function name nesting new prepend
prepend_features prepended private private_class_method private_constant private_instance_methods
private_method_defined? protected protected_instance_methods protected_method_defined? public public_class_method
public_constant public_instance_method public_instance_methods public_method_defined? refine refinements
remove_class_variable remove_const remove_method ruby2_keywords set_temporary_name singleton_class?
singleton_method_added superclass subclasses undef_method using attached_object
"""
_LISTS = """
all? any? chain chunk chunk_while collect collect_concat compact count cycle detect drop drop_while each each_cons
each_entry each_slice each_with_index each_with_object entries filter filter_map find find_all find_index first
flat_map grep grep_v group_by inject lazy map max max_by member? min min_by minmax minmax_by none? one? partition
reduce reject reverse_each size length slice_after slice_before slice_when sort sort_by sum take take_while tally to_a
to_h to_set uniq zip between? clamp call to_proc to_str to_ary to_hash to_i to_f to_sym each_pair each_key each_value
keys values key? value? has_key? has_value? fetch store delete delete_if keep_if merge merge! update replace clear
empty? push pop shift unshift insert concat append last index rindex join reverse rotate sample shuffle slice values_at
dig assoc rassoc flatten transpose map! collect! select! reject! sort! uniq! compact! flatten! reverse! shuffle!
upcase downcase capitalize swapcase strip lstrip rstrip chomp! chop! squeeze tr delete_prefix delete_suffix
start_with? end_with? match match? scan split lines chars bytes bytesize encoding force_encoding encode unpack unpack1
center ljust rjust succ upto downto times step round floor ceil truncate abs zero? positive? negative? divmod
message full_message backtrace backtrace_locations cause exception set_backtrace detailed_message
write read close closed? flush sync fileno each_line each_byte each_char getc getbyte rewind seek pos eof eof? tty?
isatty synchronize lock unlock wait signal broadcast mon_enter mon_exit mon_synchronize new_cond def_delegator
def_delegators def_instance_delegator def_instance_delegators def_single_delegator instance_delegate delegate
__getobj__ __setobj__ instance members byebug debugger pry irb ap console cd chdir cp cp_r mv rm rm_f rm_r
rm_rf mkdir mkdir_p touch pwd install ln ln_s ln_sf copy move remove chmod chmod_R chown chown_R rmdir uptodate? sh ruby
"""
_CORE = """
abs ascii_only? atime b basename birthtime bsearch byteindex byteslice casecmp casecmp? change codepoints combination
compare_by_identity compare_by_identity? compile conj const_get crypt ctime curry day days default default_proc
delete! delete_at denominator difference dirname disjoint? downcase! dump each_codepoint each_grapheme_cluster
each_index each_object eql? even? exclude? exist? expand_path extname fdiv file? fill filter! filter_map find_all
find_index flatten fnmatch fnmatch? foreach freeze ftype gcd getaddrinfo getlocal gmtime gsub gsub! handler hex hour
id2name infinite? integer? intern intersect? intersection invert ivar_get join keep_if key kill lchmod lcm ljust local
localtime lock locked? lstat lstrip! mday merge methods min minus mktime mode mon monday? month mtime named_captures
nan? names next next! nobits? now nsec numerator oct odd? offset ord owner pack parameters parse permutation pid ppid
pred prepend pretty_print pretty_generate product public_send quo rationalize readable? readlink readpartial receiver
realpath regexp? rehash remainder rename repeated_combination resume rewind rjust rpartition rstrip! scrub sec select
setbyte setup shellescape shelljoin shellsplit size? slice! socket? sort_by! source source_location squeeze! stat
stdin strftime string strip! strptime sub! subsec subset? sum superset? swapcase! symlink? sysread syswrite tally_by
target thread_variable_get thread_variable_set to_c to_date to_datetime to_json to_path to_r to_time to_yaml tr! tr_s
transform_keys transform_keys! transform_values transform_values! try_lock tv_sec unbind undump unicode_normalize
union unlink unshift upcase! utc valid_encoding? value with_index with_object wday weekday? width world_readable?
writable? yday year yield zone alive? body code content_type each_with_index_of error exit_code exitstatus get headers
host path port post put query request response run safe_load safe_load_file generate load_file load_stream start
status stop success? termsig text uri url user username password to not_to to_not eq and_return and_raise
and_call_original and_yield with once twice exactly at_least at_most by from match_array have_attributes include
start_with end_with a_kind_of
"""
_CONSTANTS = """
ARGF ARGV ArgumentError Array BasicObject BigDecimal Binding Base64 Benchmark CGI CSV Class ClosedQueueError
Comparable Complex ConditionVariable DRb DRbObject DATA Data Date DateTime Delegator Digest Dir ENV EOFError ERB
Encoding EncodingError English Enumerable Enumerator Errno Etc Exception FalseClass Fcntl Fiber FiberError Fiddle File
FileTest FileUtils Find Fixnum Float FloatDomainError Forwardable FrozenError GC GDBM Gem Hash IO IOError IPAddr
IPSocket IRB IndexError Integer Interrupt JSON Kernel KeyError LoadError LocalJumpError Logger Marshal MatchData Math
Matrix Method Minitest Module Monitor MonitorMixin Mutex NameError Net NilClass NoMatchingPatternError
NoMatchingPatternKeyError NoMemoryError NoMethodError NotImplementedError Numeric Object ObjectSpace Observable Open3
OpenSSL OpenStruct OptionParser PP PStore PTY Pathname PrettyPrint Prime Proc Process Psych Queue RDoc RUBY_COPYRIGHT
RUBY_DESCRIPTION RUBY_ENGINE RUBY_ENGINE_VERSION RUBY_PATCHLEVEL RUBY_PLATFORM RUBY_RELEASE_DATE RUBY_REVISION
RUBY_VERSION Racc Rack Ractor Rake RakeFileUtils Random Range RangeError Rational RbConfig Readline Refinement Regexp
RegexpError Reline Resolv Rinda Ripper RubyVM RuntimeError SDBM STDERR STDIN STDOUT ScriptError SecureRandom
SecurityError Set Shellwords Signal SignalException SimpleDelegator DelegateClass Singleton SizedQueue Socket
SocketError SortedSet StandardError StopIteration String StringIO StringScanner Struct Symbol SyntaxError Syslog
SystemCallError SystemExit SystemStackError TCPServer TCPSocket TOPLEVEL_BINDING TSort Tempfile Test Thread ThreadError
ThreadGroup Time Timeout TracePoint TrueClass TypeError UDPSocket UNIXServer UNIXSocket URI UnboundMethod
UncaughtThrowError UnicodeNormalize WEBrick WIN32OLE Warning WeakRef XMLRPC YAML ZeroDivisionError Zlib BasicSocket
Bundler RSpec Rails ActiveRecord ActiveModel ActiveSupport ActiveJob ActiveStorage ActionController ActionView
ActionMailer ActionPack ActionDispatch ActionCable ActionText ActionMailbox AbstractController Arel Zeitwerk
HashWithIndifferentAccess ApplicationRecord ApplicationController ApplicationJob ApplicationMailer ApplicationHelper
I18n Mail Sprockets Propshaft Capybara FactoryBot Faker Thor Sinatra Nokogiri Java JRUBY_VERSION Concurrent Ox Oj
Capistrano Mocha WebMock VCR SimpleCov
"""
_SUPPORT = """
blank? present? presence presence_in in? try try! with_options to_param to_query to_json as_json instance_values
acts_like? duplicable? deep_dup html_safe? suppress silence_warnings enable_warnings with_warnings quietly
class_attribute cattr_accessor cattr_reader cattr_writer mattr_accessor mattr_reader mattr_writer delegate_missing_to
delegate_to concerning concern module_parent module_parents module_parent_name alias_attribute redefine_method
thread_mattr_accessor thread_cattr_accessor attr_internal attr_internal_accessor config_accessor included
class_methods prepended rescue_from logger travel travel_to travel_back freeze_time unfreeze_time sanitize sig
"""
KEYWORDS = frozenset(_KEYWORDS.split())
KERNEL = KEYWORDS | frozenset(_KERNEL.split())
"""What every object or class has."""
GIVEN = KERNEL | frozenset(_LISTS.split())
"""And what lists, texts, streams and exceptions have, or FileUtils, which scripts take in whole."""
CONSTANTS = frozenset(_CONSTANTS.split())
"""Of the language, its standard library, and the frameworks that half of all programs load by another's name."""
_FREE = lazy(
    r"\A(?:be|have|assert|refute|validates|must|wont|should|acts_as|a|an|the|before|after|around|find_by)_|_(?:path|url)\Z"
)
"""Names that frameworks take apart when they are called."""
_BUILT = lazy(
    r"\A(?:authenticate|create|build|current|edit|new|reload|reset|restore|destroy|skip|with|saved_change_to)_(\w+)"
    r"|\A(\w+)_(?:was|changed[?]|ids|will_change!|signed_in[?]|session|before_type_cast|in_database|previously_changed[?])\Z"
)
"""Names that they make of a word of the program."""


def is_framework(word: str) -> bool:
    """Whether a framework may give the method to whoever mixes it in."""
    from guildmoot.agents.ruby.frameworks import FRAMEWORKS

    return word in FRAMEWORKS or word in _OPEN or _FREE.search(word) is not None


def is_known_member(word: str) -> bool:
    """Whether objects of the language or of a framework have a method of that name."""
    return word in GIVEN or word in _CORE_WORDS or is_framework(word)


def built_of(word: str) -> list[str]:
    """What must be a word of the program, so that a framework makes this one of it."""
    found = _BUILT.search(word)
    stem = (found[1] or found[2]).rstrip("?!") if found else ""
    return [stem, f"{stem}s"] if stem else []


_OPEN = frozenset(_SUPPORT.split())
_CORE_WORDS = frozenset(_CORE.split())
