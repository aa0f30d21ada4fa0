-- torchtalk's index of one PyTorch source tree.
--
-- Tables are normalised and may change through a migration. The views, named v_…, are for
-- people and programs of their own: their columns do not change. NULL means not known; lines
-- are 1-based; paths are relative to the tree, with `/`. docs/schema.md explains each view.

-- What was indexed ----------------------------------------------------------------------

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE source_files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,              -- yaml, python, cpp, cuda, objc, metal, glsl, other
    size INTEGER NOT NULL,           -- bytes
    sha TEXT NOT NULL                -- git's blob id of the content
) STRICT;

-- One row for what a layer could not read, and one per layer for what it did.
CREATE TABLE coverage (
    id INTEGER PRIMARY KEY,
    layer TEXT NOT NULL,
    file TEXT,                       -- NULL: the layer as a whole
    status TEXT NOT NULL
        CHECK (status IN ('ok', 'partial', 'failed', 'crashed', 'timeout', 'skipped')),
    detail TEXT NOT NULL,
    step INTEGER NOT NULL DEFAULT 0  -- the link step that says so; 0: reading the file
) STRICT;
CREATE INDEX coverage_layer ON coverage (layer, status);

-- What files say before it is linked, compressed: an update links it again without reading the file.
CREATE TABLE kept (
    id INTEGER PRIMARY KEY,          -- of the kind and the file: indexer/write/kept.py
    data BLOB NOT NULL
) STRICT;

-- Layer 1: operators --------------------------------------------------------------------

CREATE TABLE tags (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    line INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sets that the tree's own generator is written with (torchgen/model.py and its neighbours).
CREATE TABLE torchgen_rules (
    name TEXT NOT NULL,              -- structured_dispatch_key, ufunc_dispatch_key, inherited_tag, composite_with_tag
    value TEXT NOT NULL,
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER,
    PRIMARY KEY (name, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE operators (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,       -- aten::add.Tensor
    namespace TEXT NOT NULL,
    base TEXT NOT NULL,              -- add
    overload TEXT NOT NULL,          -- Tensor
    schema TEXT,                     -- NULL where a registration infers it
    signature TEXT,                  -- equal for the variants of one function
    kind TEXT NOT NULL,              -- functional, inplace, out, mutable, scratch
    variants TEXT,
    structured INTEGER NOT NULL DEFAULT 0,
    structured_delegate TEXT,        -- aten::add.out
    structured_inherits TEXT,
    python_module TEXT,
    category_override TEXT,
    device_check TEXT,
    device_guard INTEGER,
    manual_kernel_registration INTEGER NOT NULL DEFAULT 0,
    manual_cpp_binding INTEGER NOT NULL DEFAULT 0,
    use_const_ref_for_mutable_tensors INTEGER NOT NULL DEFAULT 0,
    dispatch_written INTEGER NOT NULL DEFAULT 0,  -- its entry has a `dispatch:`, maybe empty
    generated_from TEXT,             -- the overload whose autogen made this one
    origin TEXT NOT NULL CHECK (origin IN ('yaml', 'autogen', 'library')),
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;
CREATE INDEX operators_base ON operators (base, overload);
CREATE INDEX operators_signature ON operators (signature);
CREATE INDEX operators_delegate ON operators (structured_delegate);
CREATE INDEX operators_generated ON operators (generated_from);

CREATE TABLE arguments (
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,              -- without the alias annotation
    default_value TEXT,
    alias_annotation TEXT,           -- a!, a -> *
    is_write INTEGER NOT NULL,
    kwarg_only INTEGER NOT NULL,
    is_out INTEGER NOT NULL,
    PRIMARY KEY (operator_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE returns (
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    position INTEGER NOT NULL,
    name TEXT,
    type TEXT NOT NULL,
    alias_annotation TEXT,
    PRIMARY KEY (operator_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE operator_tags (
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    tag TEXT NOT NULL,
    PRIMARY KEY (operator_id, tag)
) STRICT, WITHOUT ROWID;

-- Fields of an entry that are lists: autogen, cpp_no_default_args, ufunc_inner_loop, precomputed.
CREATE TABLE operator_fields (
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    field TEXT NOT NULL,
    position INTEGER NOT NULL,
    key TEXT,                        -- ufunc key; the argument that is precomputed
    value TEXT NOT NULL,
    PRIMARY KEY (operator_id, field, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE dispatch (
    id INTEGER PRIMARY KEY,
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    dispatch_key TEXT NOT NULL,
    kernel TEXT,                     -- qualified C++ name
    structured INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL
        CHECK (origin IN ('yaml', 'delegate', 'default', 'impl', 'macro', 'python')),
    via TEXT,                        -- the overload it is delegated to
    generated_by TEXT,               -- what generates the kernel, where no file has it
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;
CREATE INDEX dispatch_operator ON dispatch (operator_id, dispatch_key);
CREATE INDEX dispatch_kernel ON dispatch (kernel);
CREATE INDEX dispatch_key ON dispatch (dispatch_key);

-- How many operators have an entry for each key: what a filter by backend can be given.
CREATE TABLE dispatch_keys (
    name TEXT PRIMARY KEY COLLATE NOCASE,
    operators INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE derivatives (
    id INTEGER PRIMARY KEY,
    operator_id INTEGER REFERENCES operators (id),
    operator TEXT NOT NULL,
    dispatch_key TEXT NOT NULL,      -- Default, or the autograd key it is nested under
    inputs TEXT NOT NULL,
    formula TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX derivatives_operator ON derivatives (operator_id);

CREATE TABLE derivative_functions (
    derivative_id INTEGER NOT NULL REFERENCES derivatives (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    is_method INTEGER NOT NULL,
    PRIMARY KEY (derivative_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX derivative_functions_name ON derivative_functions (name);

CREATE TABLE derivative_entries (
    operator TEXT PRIMARY KEY,
    operator_id INTEGER REFERENCES operators (id),
    schema TEXT NOT NULL,
    output_differentiability TEXT,   -- comma-separated; NULL where not given
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose formulas an operator is differentiated by: its own, or those of another variant.
CREATE TABLE derivative_uses (
    operator_id INTEGER PRIMARY KEY REFERENCES operators (id),
    entry TEXT NOT NULL REFERENCES derivative_entries (operator),
    how TEXT NOT NULL CHECK (how IN ('exact', 'functional', 'mutable', 'view_copy'))
) STRICT;

-- @layer-1-end

-- layer 2/3: C++ definitions and calls ---------------------------------------------------

CREATE TABLE functions (
    id INTEGER PRIMARY KEY,          -- in the order of the files and within them
    name TEXT NOT NULL,              -- qualified, without template arguments: at::native::add_sparse
    -- What stands behind the last colon; computed, so that the index alone takes room.
    last TEXT NOT NULL AS (replace(name, rtrim(name, replace(name, ':', '')), '')),
    head TEXT NOT NULL,              -- the signature, with a sign in the place of its name: indexer/write/heads.py
    signature TEXT NOT NULL AS (replace(head, char(1), last)),  -- as written, white space folded
    kind TEXT NOT NULL,              -- function, method, constructor, destructor, conversion,
                                     -- operator, kernel (CUDA), lambda, structured, macro
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,           -- of the name, or of the macro's use
    end_line INTEGER NOT NULL,
    is_anonymous INTEGER NOT NULL DEFAULT 0,  -- in an anonymous namespace
    is_exact INTEGER NOT NULL DEFAULT 0 CHECK (is_exact IN (0, 1)),  -- clang has seen it
    macro TEXT,                      -- that makes it
    origin TEXT NOT NULL AS (CASE WHEN is_exact THEN 'clang' WHEN macro IS NULL THEN 'syntax' ELSE 'macro' END),
    scope TEXT,                      -- of a head that a macro makes
    class_name TEXT
) STRICT;
CREATE INDEX functions_name ON functions (name);
CREATE INDEX functions_last ON functions (last COLLATE NOCASE);
CREATE INDEX functions_place ON functions (file_id, line);

CREATE TABLE cpp_classes (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- qualified
    scope TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL
) STRICT;
CREATE INDEX cpp_classes_name ON cpp_classes (name);

CREATE TABLE cpp_bases (
    class_id INTEGER NOT NULL REFERENCES cpp_classes (id),
    position INTEGER NOT NULL,
    base TEXT NOT NULL,              -- as written, without template arguments
    PRIMARY KEY (class_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE cpp_usings (
    keyword TEXT NOT NULL,           -- using, namespace
    text TEXT NOT NULL,              -- what follows it
    scope TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

CREATE TABLE macro_definitions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    params TEXT,                     -- a JSON list; NULL: takes none
    body TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX macro_definitions_name ON macro_definitions (name);

-- Macro uses at namespace and class level: what may make definitions.
CREATE TABLE macro_uses (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    scope TEXT NOT NULL,
    class_name TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    is_anonymous INTEGER NOT NULL
) STRICT;

-- Which functions a dispatch entry ends at: more than one where `#if` has variants.
CREATE TABLE dispatch_kernels (
    dispatch_id INTEGER NOT NULL REFERENCES dispatch (id),
    function_id INTEGER NOT NULL REFERENCES functions (id),
    is_primary INTEGER NOT NULL,     -- one a dispatch entry
    PRIMARY KEY (dispatch_id, function_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dispatch_kernels_function ON dispatch_kernels (function_id);

-- Who calls whom, as far as the text says; `candidate`: one of several it could be.
CREATE TABLE calls (
    caller_id INTEGER NOT NULL REFERENCES functions (id),
    callee_id INTEGER NOT NULL REFERENCES functions (id),
    line INTEGER NOT NULL,           -- of the call, in the caller's file
    code INTEGER NOT NULL            -- of the kind, + 8 for the text's, + 16 for a macro's: a million rows
        CHECK (code BETWEEN 0 AND 6 OR code BETWEEN 8 AND 14 OR code BETWEEN 16 AND 22),
    kind TEXT NOT NULL AS (CASE code & 7
        WHEN 0 THEN 'call' WHEN 1 THEN 'constructor' WHEN 2 THEN 'virtual' WHEN 3 THEN 'reference'
        WHEN 4 THEN 'candidate' WHEN 5 THEN 'stub' ELSE 'launch' END),
    origin TEXT NOT NULL AS (CASE WHEN code < 8 THEN 'clang' WHEN code < 16 THEN 'syntax' ELSE 'macro' END),
    PRIMARY KEY (caller_id, callee_id, line, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_callee ON calls (callee_id);

-- Calls by the name of an operator that no definition was found for: at::add, tensor.add.
CREATE TABLE operator_calls (
    caller_id INTEGER NOT NULL REFERENCES functions (id),
    callee TEXT NOT NULL,            -- as written: at::add, add
    receiver TEXT,                   -- of a member call: the type it is called on, where it is written; py::module: Python's, called or taken
    is_member INTEGER NOT NULL,      -- 1: of a tensor or of what may be one; 2: of what may be of another class as well
    arguments INTEGER,               -- how many; NULL: not known
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX operator_calls_caller ON operator_calls (caller_id);

-- The classes of the tree that functions hand to templates, with their bases: the template calls methods of
-- these by names that the function does not write.
CREATE TABLE handed_classes (
    class TEXT NOT NULL,             -- qualified
    function_id INTEGER NOT NULL REFERENCES functions (id),
    line INTEGER NOT NULL,           -- the first
    PRIMARY KEY (class, function_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_calls AS
SELECT
    c.caller_id,
    caller.name AS caller,
    c.callee_id,
    callee.name AS callee,
    c.kind,
    f.path AS file,
    c.line,
    c.origin
FROM calls AS c
JOIN functions AS caller ON caller.id = c.caller_id
JOIN functions AS callee ON callee.id = c.callee_id
JOIN source_files AS f ON f.id = caller.file_id;

CREATE VIEW v_functions AS
SELECT u.id, u.name, u.signature, u.kind, f.path AS file, u.line, u.end_line, u.origin
FROM functions AS u
JOIN source_files AS f ON f.id = u.file_id
WHERE f.path <> '';                  -- clang's own records stand in no file

-- layer 2/3: C++ end ----------------------------------------------------------------------

-- layer 2: registrations ------------------------------------------------------------------

-- Every operator that code defines and every kernel that code gives to one, as it stands there.
CREATE TABLE registrations (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL               -- def: a schema; impl: a kernel; fallback: a kernel for all
        CHECK (kind IN ('def', 'impl', 'fallback', 'jit')),  -- jit: TorchScript's own registry
    operator TEXT,                   -- aten::add.Tensor; NULL for a fallback
    all_overloads INTEGER NOT NULL,  -- operator is a packet: it holds for all its overloads
    dispatch_key TEXT,               -- in the runtime's spelling; NULL for a def without kernel
    kernel TEXT,                     -- qualified, as far as the text tells
    kernel_form TEXT NOT NULL
        CHECK (kernel_form IN ('function', 'lambda', 'fallthrough', 'unknown')),
    expression TEXT,                 -- the kernel's argument, macros expanded
    schema TEXT,                     -- NULL where torch infers it from the kernel
    tags TEXT,                       -- comma-separated
    origin TEXT NOT NULL CHECK (origin IN ('impl', 'macro', 'python')),
    via TEXT NOT NULL,               -- TORCH_LIBRARY_IMPL, RegisterOperators, custom_op, py_impl …
    condition TEXT,                  -- of the #if around it; `when f() runs` in Python
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,           -- of the statement
    block_file_id INTEGER NOT NULL REFERENCES source_files (id),
    block_line INTEGER NOT NULL,     -- of the block: what the runtime calls «registered at»
    kernel_file_id INTEGER REFERENCES source_files (id),
    kernel_line INTEGER              -- of a Python kernel's `def`; C++ ones are in dispatch_kernels
) STRICT;
CREATE INDEX registrations_operator ON registrations (operator, dispatch_key);
CREATE INDEX registrations_kernel ON registrations (kernel);
CREATE INDEX registrations_place ON registrations (file_id, line);

-- Which statement a row of dispatch comes from.
CREATE TABLE dispatch_registrations (
    dispatch_id INTEGER PRIMARY KEY REFERENCES dispatch (id),
    registration_id INTEGER NOT NULL REFERENCES registrations (id)
) STRICT;
CREATE INDEX dispatch_registrations_registration ON dispatch_registrations (registration_id);

-- Kernels that `import torch` replaces: Python registers another for the same operator and key.
CREATE TABLE dispatch_replacements (
    dispatch_id INTEGER PRIMARY KEY REFERENCES dispatch (id),
    by_dispatch_id INTEGER NOT NULL REFERENCES dispatch (id)
) STRICT;

-- Kernels that a key has for every operator that registers none for it.
CREATE VIEW fallbacks AS
SELECT r.dispatch_key AS key, r.kernel, r.kernel_form, r.condition, r.origin, f.path AS file, r.line, r.block_line
FROM registrations AS r
JOIN source_files AS f ON f.id = r.file_id
WHERE r.kind = 'fallback';

-- Specializations of class templates in files that register: which of several a kernel is a member of.
CREATE TABLE class_specializations (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,           -- of the class's name
    name TEXT NOT NULL,              -- unqualified
    arguments TEXT NOT NULL,         -- a JSON list, as written
    PRIMARY KEY (file_id, line, name)
) STRICT, WITHOUT ROWID;

-- layer 2: registrations end --------------------------------------------------------------

-- layer 2: stubs, bindings, launches -------------------------------------------------------

-- DECLARE_DISPATCH and DEFINE_DISPATCH.
CREATE TABLE stub_declarations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- qualified: at::native::add_stub
    kind TEXT NOT NULL CHECK (kind IN ('declare', 'define')),
    type TEXT,                       -- of the function pointer, as written
    macro TEXT,                      -- of the same file, whose use makes it
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX stub_declarations_name ON stub_declarations (name);
CREATE INDEX stub_declarations_file ON stub_declarations (file_id);

CREATE TABLE stub_registrations (
    id INTEGER PRIMARY KEY,
    stub TEXT NOT NULL,              -- qualified where it was found declared, else as written
    scope TEXT NOT NULL,             -- the namespaces around, from which names are looked up
    backend TEXT NOT NULL,           -- CPU, CUDA, MPS …; a CPU capability where only that is meant
    kernel TEXT NOT NULL,            -- qualified where it was found; nullptr: none
    template_arguments TEXT,
    form TEXT NOT NULL,              -- REGISTER_DISPATCH, REGISTER_AVX2_DISPATCH …
    macro TEXT,
    function_id INTEGER REFERENCES functions (id),
    kernel_line INTEGER,             -- of a lambda, in the same file
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX stub_registrations_stub ON stub_registrations (stub);
CREATE INDEX stub_registrations_file ON stub_registrations (file_id);
CREATE INDEX stub_registrations_function ON stub_registrations (function_id);

-- Where a stub is called, or passed to what calls it.
CREATE TABLE stub_callers (
    id INTEGER PRIMARY KEY,
    stub TEXT NOT NULL,              -- qualified
    scope TEXT NOT NULL,
    function TEXT NOT NULL,          -- qualified name of the calling function, '' at namespace level
    function_id INTEGER REFERENCES functions (id),
    how TEXT NOT NULL CHECK (how IN ('call', 'argument', 'macro')),
    device TEXT,                     -- a call's first argument, as written
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX stub_callers_stub ON stub_callers (stub);
CREATE INDEX stub_callers_function ON stub_callers (function_id);

-- What C++ gives to Python. Operators' own registrations are not among it.
CREATE TABLE bindings (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- the last part of the path
    owner TEXT,                      -- as the file tells it: indexer/facts/bindings.py
    python_name TEXT,                -- torch._C._get_tracing_state; NULL: the owner is not known
    cpp_name TEXT,                   -- qualified where it was found
    scope TEXT NOT NULL,
    form TEXT NOT NULL,              -- function, method, property, class, method_table, getset, setter, slot …
    function_id INTEGER REFERENCES functions (id),
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX bindings_python_name ON bindings (python_name);
CREATE INDEX bindings_function ON bindings (function_id);

-- How the owners hang together: a node is another one, or its member.
CREATE TABLE binding_owners (
    node TEXT NOT NULL,
    parent TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- Where C++ gets the dispatcher's handle of an operator that it names.
CREATE TABLE operator_handles (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    operator TEXT NOT NULL,          -- in full: c10d::allreduce_
    PRIMARY KEY (file_id, line, operator)
) STRICT, WITHOUT ROWID;

-- Functions that run on a GPU.
CREATE TABLE kernels (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- qualified; Metal's: what a library finds it by; Vulkan's: what it is registered by
    function TEXT NOT NULL,          -- its own name, without scopes
    platform TEXT NOT NULL CHECK (platform IN ('cuda', 'metal', 'vulkan')),
    is_definition INTEGER NOT NULL,
    is_template INTEGER NOT NULL,
    bounds TEXT,                     -- __launch_bounds__
    macro TEXT,
    embedded INTEGER NOT NULL,       -- in a string, compiled at run time
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    definition_line INTEGER          -- of an instantiation: the overload that its parameters pick
) STRICT;
CREATE INDEX kernels_name ON kernels (name);
CREATE INDEX kernels_function ON kernels (function);

CREATE TABLE launches (
    id INTEGER PRIMARY KEY,
    kernel TEXT NOT NULL,            -- qualified where it was found, else as written; Metal's may hold *
    template_arguments TEXT,
    scope TEXT NOT NULL,
    launcher TEXT NOT NULL,          -- qualified; the macro where its definition launches
    launcher_id INTEGER REFERENCES functions (id),
    kind TEXT NOT NULL CHECK (kind IN
        ('launch', 'runtime', 'helper', 'jit', 'library', 'macro', 'pipeline', 'name')),
    grid TEXT,
    block TEXT,
    shared TEXT,
    stream TEXT,
    variable TEXT,                   -- that the kernel was named by
    handed_to TEXT,                  -- what the lambda around it is handed to, whose parameter it launches
    macro TEXT,                      -- of the same file, which launches
    in_definition INTEGER NOT NULL,  -- the text of that macro's definition, not of its use
    callee_id INTEGER REFERENCES functions (id),  -- a helper's definition
    platform TEXT NOT NULL CHECK (platform IN ('cuda', 'metal', 'vulkan')),
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX launches_kernel ON launches (kernel);
CREATE INDEX launches_launcher ON launches (launcher_id);
CREATE INDEX launches_place ON launches (file_id, line);

-- Kernels that functions call one of their own parameters with: what a lambda is handed to launches.
CREATE TABLE kernel_arguments (
    kernel TEXT NOT NULL,            -- as written
    function TEXT NOT NULL,          -- qualified
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- The definitions that a launch may reach; more than one under `#if`, for Metal's patterns and Vulkan's variants, and where the kernel is
-- a lambda's parameter: then none is primary.
CREATE TABLE launch_kernels (
    launch_id INTEGER NOT NULL REFERENCES launches (id),
    kernel_id INTEGER NOT NULL REFERENCES kernels (id),
    is_primary INTEGER NOT NULL,
    PRIMARY KEY (launch_id, kernel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX launch_kernels_kernel ON launch_kernels (kernel_id);

-- Functions from which a launch is at most four calls away.
CREATE TABLE launching_functions (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id),
    calls INTEGER NOT NULL           -- how many calls away the nearest launch is
) STRICT;

-- Functions of GPU files from which calls there lead to a launch, however many.
CREATE TABLE gpu_launching_functions (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id)
) STRICT;

-- Functions from which a DispatchStub is at most three calls away, all of them in one file.
CREATE TABLE stub_functions (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id),
    calls INTEGER NOT NULL           -- 0: it calls the stub itself
) STRICT;

-- Calls of functions of cuBLAS, cuDNN, MKL and the like, of which no tree has the source.
CREATE TABLE library_calls (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    name TEXT NOT NULL,              -- as written
    library TEXT NOT NULL,
    PRIMARY KEY (file_id, line, name)
) STRICT, WITHOUT ROWID;

-- Functions from which such a call is at most six calls away.
CREATE TABLE library_functions (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id),
    calls INTEGER NOT NULL           -- 0: it has one itself
) STRICT;

CREATE VIEW v_stubs AS
SELECT
    r.stub,
    r.backend,
    r.kernel,
    CASE WHEN r.kernel_line IS NOT NULL THEN f.path ELSE k.path END AS kernel_file,
    coalesce(r.kernel_line, u.line) AS kernel_line,
    f.path AS registered_file,
    r.line AS registered_line
FROM stub_registrations AS r
JOIN source_files AS f ON f.id = r.file_id
LEFT JOIN functions AS u ON u.id = r.function_id
LEFT JOIN source_files AS k ON k.id = u.file_id;

CREATE VIEW v_bindings AS
SELECT
    b.python_name,
    b.cpp_name,
    CASE
        WHEN b.form IN ('method_table', 'getset', 'setter', 'member', 'slot', 'type', 'generated') THEN b.form
        ELSE 'pybind'
    END AS kind,
    f.path AS file,
    b.line
FROM bindings AS b
JOIN source_files AS f ON f.id = b.file_id;

-- A line that launches instances of one template, or different ones under a macro's cases, is one row.
CREATE VIEW v_launches AS
SELECT DISTINCT
    l.kernel,
    CASE WHEN l.launcher = '' THEN NULL ELSE l.launcher END AS launcher,
    f.path AS file,
    l.line,
    coalesce(kf.path, cf.path) AS kernel_file,
    coalesce(k.line, c.line) AS kernel_line,
    l.platform
FROM launches AS l
JOIN source_files AS f ON f.id = l.file_id
LEFT JOIN launch_kernels AS lk ON lk.launch_id = l.id AND lk.is_primary
LEFT JOIN kernels AS k ON k.id = lk.kernel_id
LEFT JOIN source_files AS kf ON kf.id = k.file_id
LEFT JOIN functions AS c ON c.id = l.callee_id
LEFT JOIN source_files AS cf ON cf.id = c.file_id;

-- Names that the tree gives functions of its own are left out; for a build without LAPACK it has those of BLAS and LAPACK,
-- which only hand on.
CREATE VIEW v_library_calls AS
SELECT
    l.library,
    l.name,
    (SELECT u.name FROM functions AS u
     WHERE u.file_id = l.file_id AND l.line BETWEEN u.line AND u.end_line
     ORDER BY u.line DESC, u.id LIMIT 1) AS function,
    f.path AS file,
    l.line
FROM library_calls AS l
JOIN source_files AS f ON f.id = l.file_id
WHERE l.library = 'BLAS and LAPACK' OR NOT EXISTS (
    SELECT 1 FROM functions AS o
    JOIN source_files AS of ON of.id = o.file_id AND of.kind IN ('cpp', 'cuda')
    WHERE o.last = l.name COLLATE NOCASE AND o.line < o.end_line
);

-- layer 2: stubs, bindings, launches end --------------------------------------------------

-- layer 4: Python -----------------------------------------------------------------------

CREATE TABLE python_modules (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- torch.nn.functional
    is_package INTEGER NOT NULL,
    has_all INTEGER NOT NULL,        -- whether it has an __all__
    doc TEXT,                        -- first paragraph of the docstring
    file_id INTEGER NOT NULL REFERENCES source_files (id)
) STRICT;
CREATE INDEX python_modules_name ON python_modules (name);
CREATE INDEX python_modules_file ON python_modules (file_id);

-- The names in __all__; `torch.x.*` stands for another module's.
CREATE TABLE python_exports (
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (module_id, position)
) STRICT, WITHOUT ROWID;

-- Lines of docstrings, and of texts that are given as one: what changes there changes nothing that runs.
CREATE TABLE python_docstrings (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    PRIMARY KEY (file_id, line, end_line)
) STRICT, WITHOUT ROWID;

-- What a module or class calls something: imports, assignments, attributes of self.
CREATE TABLE python_bindings (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    scope TEXT NOT NULL,             -- class within the module, or empty
    name TEXT NOT NULL,              -- * for a star import, and for what is of no name
    code INTEGER NOT NULL CHECK (code BETWEEN 0 AND 9),  -- of the kind
    kind TEXT NOT NULL AS (CASE code
        WHEN 0 THEN 'from' WHEN 1 THEN 'attribute' WHEN 2 THEN 'call' WHEN 3 THEN 'import'
        WHEN 4 THEN 'annotation' WHEN 5 THEN 'alias' WHEN 6 THEN 'star' WHEN 7 THEN 'forwarded'
        WHEN 8 THEN 'conforms' ELSE 'answered' END),
    target TEXT NOT NULL,            -- see indexer/facts/python.py
    line INTEGER NOT NULL,
    guarded INTEGER NOT NULL         -- under `if TYPE_CHECKING`, or what stands in for another branch
) STRICT;
-- What a module assigns: one in seven.
CREATE INDEX python_bindings_assigned ON python_bindings (name)
    WHERE scope = '' AND kind IN ('alias', 'call');

CREATE TABLE python_classes (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    name TEXT NOT NULL,              -- torch.nn.modules.linear.Linear
    last TEXT NOT NULL,              -- Linear
    public_name TEXT,                -- torch.nn.Linear
    category TEXT NOT NULL DEFAULT 'other'
        CHECK (category IN ('nn', 'optim', 'lr_scheduler', 'test', 'other')),
    decorators TEXT,                 -- one a line
    doc TEXT,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    guarded INTEGER NOT NULL,
    section TEXT,                    -- heading of the documentation that lists it
    section_position INTEGER
) STRICT;
CREATE INDEX python_classes_name ON python_classes (name);
CREATE INDEX python_classes_module ON python_classes (module_id);
CREATE INDEX python_classes_public ON python_classes (public_name);
CREATE INDEX python_classes_last ON python_classes (last COLLATE NOCASE);
CREATE INDEX python_classes_category ON python_classes (category, section_position);

-- Other names of a class, by which packages show it; and of a function, which a class body gives it.
CREATE TABLE python_aliases (
    name TEXT PRIMARY KEY,           -- torch.nn.quantized.Linear; torch.nn.modules.module.Module.__call__
    class_id INTEGER REFERENCES python_classes (id),
    function_id INTEGER REFERENCES python_functions (id),
    CHECK ((class_id IS NULL) <> (function_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE python_bases (
    class_id INTEGER NOT NULL REFERENCES python_classes (id),
    position INTEGER NOT NULL,
    written TEXT NOT NULL,           -- as the class statement has it
    target TEXT NOT NULL,
    name TEXT NOT NULL,              -- resolved: torch.nn.modules.module.Module, typing.Generic
    base_id INTEGER REFERENCES python_classes (id),
    PRIMARY KEY (class_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX python_bases_base ON python_bases (base_id);

-- What stands for a class that it does not derive from, as type checkers are told (`conforms` of python_bindings).
CREATE TABLE python_conforming (
    class_id INTEGER NOT NULL REFERENCES python_classes (id),
    base_id INTEGER NOT NULL REFERENCES python_classes (id),
    PRIMARY KEY (class_id, base_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE python_functions (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    class_id INTEGER REFERENCES python_classes (id),
    name TEXT NOT NULL,              -- within the module: Linear.forward
    code INTEGER NOT NULL CHECK (code BETWEEN 0 AND 7),  -- of the kind
    kind TEXT NOT NULL AS (CASE code
        WHEN 0 THEN 'method' WHEN 1 THEN 'function' WHEN 2 THEN 'staticmethod' WHEN 3 THEN 'property'
        WHEN 4 THEN 'module' WHEN 5 THEN 'classmethod' WHEN 6 THEN 'overload' ELSE 'setter' END),
    signature TEXT NOT NULL,         -- (self, input: Tensor) -> Tensor
    returns TEXT NOT NULL,           -- target of the return annotation, or empty
    decorators TEXT,                 -- one a line
    doc TEXT,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    guarded INTEGER NOT NULL
) STRICT;
CREATE INDEX python_functions_name ON python_functions (name);
CREATE INDEX python_functions_class ON python_functions (class_id);

-- What stands over a function and is called like a function of a module: `onlyCUDA`, and `script` of `@torch.jit.script`.
CREATE TABLE python_decorators (
    name TEXT NOT NULL,
    function_id INTEGER NOT NULL REFERENCES python_functions (id),
    PRIMARY KEY (name, function_id)
) STRICT, WITHOUT ROWID;

-- Names that C++ or a generator gives to operators: torch._C._nn.gelu, torch._C.TensorBase.add.
CREATE TABLE python_natives (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    how TEXT NOT NULL,               -- generated, handwritten, alias, ops, stub, bound (to no operator)
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;

CREATE TABLE python_native_operators (
    native_id INTEGER NOT NULL REFERENCES python_natives (id),
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    PRIMARY KEY (native_id, operator_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX python_native_operators_operator ON python_native_operators (operator_id);

-- Each thing of the tree that functions use, once, as far as the file that uses it tells what it is.
CREATE TABLE python_targets (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL             -- each once; see indexer/facts/python.py
) STRICT;

-- What a target is in the tree: one thing, or several that arguments decide between.
CREATE TABLE python_resolutions (
    target_id INTEGER NOT NULL REFERENCES python_targets (id),
    function_id INTEGER REFERENCES python_functions (id),
    class_id INTEGER REFERENCES python_classes (id),
    native_id INTEGER REFERENCES python_natives (id)
) STRICT;
CREATE INDEX python_resolutions_target ON python_resolutions (target_id);
CREATE INDEX python_resolutions_function ON python_resolutions (function_id)
    WHERE function_id IS NOT NULL;
CREATE INDEX python_resolutions_class ON python_resolutions (class_id)
    WHERE class_id IS NOT NULL;
CREATE INDEX python_resolutions_native ON python_resolutions (native_id)
    WHERE native_id IS NOT NULL;

CREATE TABLE python_calls (
    caller_id INTEGER NOT NULL REFERENCES python_functions (id),
    line INTEGER NOT NULL,
    target_id INTEGER NOT NULL REFERENCES python_targets (id),
    kind INTEGER NOT NULL,           -- 0 call, 1 reference, 2 operator: a + b, 3 aside: only checks or complains,
                                     -- 4 handed on, 5 looked up in a table, 6 its decorator, 7 one of the few methods
                                     -- of the name that it calls
    PRIMARY KEY (caller_id, target_id, line, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX python_calls_target ON python_calls (target_id);

-- How many methods a function of torch calls on values of which nobody knows what they are.
CREATE TABLE python_unfollowed (
    function_id INTEGER PRIMARY KEY REFERENCES python_functions (id),
    calls INTEGER NOT NULL
) STRICT;

-- What each public name ends at; operator_id is NULL where it is Python all the way down.
CREATE TABLE python_apis (
    id INTEGER PRIMARY KEY,
    api TEXT NOT NULL,               -- torch.nn.functional.gelu
    operator_id INTEGER REFERENCES operators (id),
    via TEXT NOT NULL,               -- binding, handwritten, alias, python, python only …
    function_id INTEGER REFERENCES python_functions (id),
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;
CREATE INDEX python_apis_api ON python_apis (api);
CREATE INDEX python_apis_operator ON python_apis (operator_id);

-- What a page of the documentation lists under which heading.
CREATE TABLE documented_names (
    name TEXT NOT NULL,
    section TEXT NOT NULL,
    position INTEGER NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    PRIMARY KEY (name, file_id)
) STRICT, WITHOUT ROWID;

-- Rules of the tree's own generator of bindings (tools/autograd/gen_python_functions.py).
CREATE TABLE python_binding_rules (
    kind TEXT NOT NULL,              -- skip_name (a regular expression), skip_signature, private
    value TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- What the C++ calls that Python writes: Inductor's. Which functions they are is found by linking.
CREATE TABLE written_calls (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- * for what is filled in; a namespace that is opened has :: at its end
    is_called INTEGER NOT NULL,      -- a bracket follows; else the text ends there
    line INTEGER NOT NULL,
    writer INTEGER NOT NULL,         -- the line of the Python function that writes it
    file_id INTEGER NOT NULL REFERENCES source_files (id)
) STRICT;
CREATE INDEX written_calls_file ON written_calls (file_id);

-- Bindings written by hand in C++, with the operators that their code calls.
CREATE TABLE python_native_bindings (
    owner TEXT NOT NULL,             -- torch._C.TensorBase
    name TEXT NOT NULL,
    operators TEXT NOT NULL,         -- bases, comma-separated
    how TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

CREATE VIEW v_classes AS
SELECT
    c.name,
    c.public_name,
    c.category,
    (SELECT group_concat(name, ', ') FROM (
        SELECT b.name FROM python_bases AS b WHERE b.class_id = c.id ORDER BY b.position)) AS bases,
    f.path AS file,
    c.line
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id;

CREATE VIEW v_methods AS
SELECT
    c.name AS class,
    substr(p.name, length(c.name) - length(m.name) + 1) AS method,
    p.signature,
    f.path AS file,
    p.line
FROM python_functions AS p
JOIN python_classes AS c ON c.id = p.class_id
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id;

CREATE VIEW v_python_api AS
SELECT a.api, o.name AS operator, a.via, f.path AS file, a.line
FROM python_apis AS a
LEFT JOIN operators AS o ON o.id = a.operator_id
LEFT JOIN source_files AS f ON f.id = a.file_id;

-- @layer-4-end

-- Names: what every question starts from -------------------------------------------------

-- Each name once for each kind of thing it names, but for C++ functions, which are found by their
-- name or its end: an index of all their words would be larger than everything else. Filled by
-- indexer/link/90_names.sql.
CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- as written: aten::softmax, at::native::gelu_out_cpu
    kind TEXT NOT NULL,              -- operator, kernel, api, class, stub, cuda, metal, vulkan, binding …
    last TEXT NOT NULL,              -- the last component: softmax, gelu_out_cpu
    UNIQUE (name, kind)
) STRICT;
CREATE INDEX names_last ON names (last COLLATE NOCASE, kind);

-- Split at camelCase, snake_case and ::, see indexer/words.py; the words themselves are not kept.
CREATE VIRTUAL TABLE names_words USING fts5 (
    words, content = '', tokenize = 'unicode61', prefix = '2 3'
);                                   -- rowid: of names
CREATE VIRTUAL TABLE names_trigrams USING fts5 (
    name, content = 'names', content_rowid = 'id', tokenize = 'trigram'
);

-- Views: the contract --------------------------------------------------------------------

CREATE VIEW v_operators AS
SELECT
    o.name AS operator,
    o.namespace,
    o.base,
    o.overload,
    o.schema,
    o.python_module,
    o.variants,
    (SELECT group_concat(tag, ',') FROM (
        SELECT t.tag FROM operator_tags AS t WHERE t.operator_id = o.id ORDER BY t.tag)) AS tags,
    o.structured AS is_structured,
    o.structured_delegate,
    EXISTS (SELECT 1 FROM operator_tags AS t
            WHERE t.operator_id = o.id AND t.tag = 'core') AS is_core,
    -- Python's own table (py_impl) does not make an operator composite for the dispatcher.
    EXISTS (SELECT 1 FROM dispatch AS d
            WHERE d.operator_id = o.id
              AND d.dispatch_key = 'CompositeImplicitAutograd'
              AND d.origin <> 'python') AS is_composite_implicit,
    o.origin = 'autogen' AS is_autogen,
    o.origin,
    f.path AS file,
    o.line
FROM operators AS o
LEFT JOIN source_files AS f ON f.id = o.file_id;

CREATE VIEW v_dispatch AS
SELECT
    o.name AS operator,
    d.dispatch_key AS key,
    d.kernel,
    kf.path AS kernel_file,
    coalesce(u.line, r.kernel_line) AS kernel_line,
    f.path AS registered_file,
    d.line AS registered_line,
    d.origin
FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
LEFT JOIN source_files AS f ON f.id = d.file_id
LEFT JOIN dispatch_kernels AS k ON k.dispatch_id = d.id AND k.is_primary
LEFT JOIN functions AS u ON u.id = k.function_id
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
LEFT JOIN registrations AS r ON r.id = l.registration_id
LEFT JOIN source_files AS kf ON kf.id = coalesce(u.file_id, r.kernel_file_id);

CREATE VIEW v_derivatives AS
SELECT d.operator, d.inputs AS input, d.formula, f.path AS file, d.line
FROM derivatives AS d
JOIN source_files AS f ON f.id = d.file_id;

CREATE VIEW v_coverage AS
SELECT layer, file, status, detail FROM coverage;

-- layer 5: tests --------------------------------------------------------------------------

-- Classes that hold tests.
CREATE TABLE test_classes (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- within the module: TestLinalg; a gtest's suite
    role TEXT NOT NULL CHECK (role IN
        ('test',                     -- derives from unittest.TestCase
         'mixin',                    -- a base of such a class
         'template',                 -- its tests are copied into such a class, or a class is
                                     -- made of it when the file runs
         'pytest',                   -- neither, but pytest collects it by its name
         'suite')),                  -- googletest
    class_id INTEGER REFERENCES python_classes (id),
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX test_classes_name ON test_classes (name);
CREATE INDEX test_classes_class ON test_classes (class_id);

CREATE TABLE tests (
    id INTEGER PRIMARY KEY,          -- in the order of the files and within them
    name TEXT NOT NULL,              -- test_linear_bias; a gtest's second argument
    kind TEXT NOT NULL CHECK (kind IN ('python', 'gtest')),
    class_id INTEGER REFERENCES test_classes (id),  -- NULL: a function of the module
    function_id INTEGER REFERENCES python_functions (id),
    cpp_function_id INTEGER REFERENCES functions (id),
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    decorators TEXT,                 -- as written, comma-separated; a gtest's macro
    operators INTEGER NOT NULL DEFAULT 0,  -- how many it calls, common ones counting little: few mean that it is about them
    words TEXT NOT NULL              -- of its own and the class's name
) STRICT;
CREATE INDEX tests_name ON tests (name);
CREATE INDEX tests_file ON tests (file_id, line);
CREATE INDEX tests_class ON tests (class_id);
CREATE INDEX tests_function ON tests (function_id);
CREATE INDEX tests_cpp_function ON tests (cpp_function_id);

-- Files that run their tests when they are run: `if __name__ == "__main__": run_tests()`.
CREATE TABLE test_mains (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- What test files import from files beside them, or in test/: `test_jit`, `quantization.core.test_utils:TestUtils`; and
-- what they want of the environment, without which they end when they are imported: `os.environ=BACKEND`.
CREATE TABLE test_imports (
    target TEXT NOT NULL,            -- as in python_bindings
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- Files that have tests of others: they import classes that hold tests, derive from them, or import a module to make
-- classes of its own.
CREATE TABLE test_sources (
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    source_id INTEGER NOT NULL REFERENCES source_files (id),
    classes TEXT,                    -- those that it names, comma-separated; NULL: it imports the whole module
    PRIMARY KEY (file_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_sources_source ON test_sources (source_id);

-- Calls at module level that make a class's tests for devices, for parameters or in another class, and a `del` of it.
CREATE TABLE test_instantiations (
    id INTEGER PRIMARY KEY,
    class_id INTEGER REFERENCES test_classes (id),
    class_name TEXT NOT NULL,        -- target as the file tells it
    function TEXT NOT NULL,          -- torch.testing._internal.common_device_type.instantiate_device_type_tests
    kind TEXT NOT NULL CHECK (kind IN ('devices', 'parameters', 'copy')),
    arguments TEXT NOT NULL,         -- only_for='cuda'
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX test_instantiations_class ON test_instantiations (class_id);

-- OpInfos, ModuleInfos, OptimizerInfos.
CREATE TABLE opinfos (
    id INTEGER PRIMARY KEY,
    name TEXT,                       -- NULL where only running the code would tell
    variant TEXT NOT NULL,
    aten_name TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('op', 'module', 'optimizer', 'other')),
    class TEXT NOT NULL,             -- UnaryUfuncInfo
    class_name TEXT NOT NULL,        -- in full
    aliases TEXT,                    -- comma-separated
    subject TEXT,                    -- source of `op=`; the class of a module or optimizer
    dtypes TEXT,                     -- source of `dtypes=`
    sample_inputs TEXT,              -- the function that makes them
    inplace TEXT,                    -- source of `inplace_variant=`
    skips TEXT,                      -- Class.test of its DecorateInfos, comma-separated
    ref_id INTEGER REFERENCES opinfos (id),  -- whose arguments a Python reference inherits
    maker_line INTEGER,              -- of the function that makes it, where one does
    list_name TEXT,                  -- of the module, that it is written in
    given_name TEXT,                 -- before its class changes it
    given_aten_name TEXT,
    given_variant TEXT,
    ref_name TEXT,
    ref_variant TEXT,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    fields TEXT NOT NULL             -- supports_out=F ref=!: see indexer/extract/python/testing/fields.py
) STRICT;
CREATE INDEX opinfos_name ON opinfos (name);
CREATE INDEX opinfos_place ON opinfos (file_id, line);
CREATE INDEX opinfos_sample_inputs ON opinfos (sample_inputs);

CREATE TABLE opinfo_classes (
    name TEXT NOT NULL,              -- in full
    template TEXT NOT NULL,          -- _foreach_{}
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    fields TEXT NOT NULL             -- what they are where nothing is given, as those of opinfos
) STRICT;

-- Which operators an entry stands for.
CREATE TABLE opinfo_operators (
    opinfo_id INTEGER NOT NULL REFERENCES opinfos (id),
    base TEXT NOT NULL,              -- of aten's operators: linalg_det
    how TEXT NOT NULL CHECK (how IN ('aten_name', 'api', 'alias', 'name', 'inplace')),
    PRIMARY KEY (opinfo_id, base)
) STRICT, WITHOUT ROWID;
CREATE INDEX opinfo_operators_base ON opinfo_operators (base);

-- Lists of entries: a module's op_db, or what stands in a test's @ops(…).
CREATE TABLE opinfo_lists (
    id INTEGER PRIMARY KEY,
    name TEXT,                       -- in full; NULL: written on the spot
    expression TEXT,                 -- of one that is written on the spot
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX opinfo_lists_name ON opinfo_lists (name);

CREATE TABLE opinfo_list_parts (
    id INTEGER PRIMARY KEY,
    list TEXT NOT NULL,              -- in full
    target TEXT NOT NULL,            -- of the list it takes elements from
    class_target TEXT,               -- only elements of this class
    condition TEXT,                  -- what else is asked of them
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

CREATE TABLE opinfo_list_members (
    list_id INTEGER NOT NULL REFERENCES opinfo_lists (id),
    opinfo_id INTEGER NOT NULL REFERENCES opinfos (id),
    is_certain INTEGER NOT NULL,     -- 0: a condition asks for what the entry's own words do not tell
    PRIMARY KEY (list_id, opinfo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opinfo_list_members_opinfo ON opinfo_list_members (opinfo_id);

-- Tests that run once for each entry of a list.
CREATE TABLE test_lists (
    test_id INTEGER NOT NULL REFERENCES tests (id),
    list_id INTEGER NOT NULL REFERENCES opinfo_lists (id),
    decorator TEXT NOT NULL,         -- ops, modules, optims
    PRIMARY KEY (test_id, list_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_lists_list ON test_lists (list_id);

-- Operators that a test calls or is named after. How, by the first letters of these, since there are many:
--   call      torch.x, F.x, torch.ops.aten.x: what is called is known
--   method    value.x(), where the value's type is not known
--   helper    a function of the same file that it calls does
--   name      it is named so
--   one of    of several that what it calls is about this may be the one that runs, as the arguments tell
CREATE TABLE test_operators (
    test_id INTEGER NOT NULL REFERENCES tests (id),
    base TEXT NOT NULL,              -- of aten's operators
    how TEXT NOT NULL,               -- nc: named after it, and calls it
    weight INTEGER NOT NULL,         -- how much the test is about the operator, in thousandths; to be compared
    PRIMARY KEY (test_id, base)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_operators_base ON test_operators (base, weight);

-- Functions and classes that tests are written with.
CREATE TABLE test_utilities (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- in full
    last TEXT NOT NULL,              -- the name alone
    category TEXT NOT NULL,          -- decorators, assertions, opinfo, devices and dtypes, common_utils …
    signature TEXT,                  -- NULL for a class
    doc TEXT,                        -- its first paragraph
    uses INTEGER NOT NULL,           -- calls, references, decorators
    used_in INTEGER NOT NULL,        -- files that do
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX test_utilities_category ON test_utilities (category, uses);
CREATE INDEX test_utilities_last ON test_utilities (last);

-- What files use of them outside of what their functions call: assertions of self, calls at module level.
CREATE TABLE test_utility_uses (
    uses TEXT NOT NULL,              -- see indexer/facts/tests.py
    file_id INTEGER NOT NULL REFERENCES source_files (id)
) STRICT;

-- What tests expect errors and warnings to say: a row for each file, to be read as a whole.
CREATE TABLE test_messages (
    messages TEXT NOT NULL,          -- one a line, behind the line that it begins on and a space
    file_id INTEGER NOT NULL REFERENCES source_files (id)
) STRICT;

-- Words of tests' names, and names that their bodies call or take from something.
CREATE VIRTUAL TABLE tests_words USING fts5 (
    words, content = 'tests', content_rowid = 'id', tokenize = 'unicode61'
);
CREATE VIRTUAL TABLE tests_bodies USING fts5 (
    names, content = '', detail = 'none', tokenize = "unicode61 tokenchars '_'"
);                                   -- rowid: of python_functions

-- From changed lines to Python functions, and from these to public names.
CREATE INDEX python_functions_place ON python_functions (module_id, line);
CREATE INDEX python_apis_function ON python_apis (function_id);

CREATE VIEW v_tests AS
SELECT f.path AS file, c.name AS class, t.name AS test, t.line, t.kind, t.decorators
FROM tests AS t
JOIN source_files AS f ON f.id = t.file_id
LEFT JOIN test_classes AS c ON c.id = t.class_id;

CREATE VIEW v_opinfos AS
SELECT o.name, o.variant, o.aten_name, o.class, f.path AS file, o.line
FROM opinfos AS o
JOIN source_files AS f ON f.id = o.file_id
WHERE o.kind <> 'other';

-- @layer-5-end

-- layer 6: torch.compile ------------------------------------------------------------------

-- What files register for a stage of torch.compile, as it stands there.
CREATE TABLE compile_registrations (
    id INTEGER PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('decomposition', 'fake', 'lowering', 'fallback')),
    operator TEXT NOT NULL,          -- aten::add.Tensor; torch.sym_sum; '' where a predicate chooses
    all_overloads INTEGER NOT NULL,  -- operator is a packet
    function TEXT,                   -- qualified, with its module
    function_line INTEGER,           -- NULL where it is not in this file
    table_name TEXT,                 -- the registry: torch._inductor.lowering.lowerings
    how TEXT NOT NULL,               -- register_lowering, make_fallback, register_op_impl …
    kernels TEXT,                    -- what the function's text makes: template, pointwise …
    condition TEXT,                  -- `when f() runs`; a predicate
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- Every stage's function of every overload: what v_compile shows.
CREATE TABLE compile_entries (
    id INTEGER PRIMARY KEY,
    operator TEXT NOT NULL,
    operator_id INTEGER REFERENCES operators (id),  -- NULL: no operator of the dispatcher
    role TEXT NOT NULL
        CHECK (role IN ('decomposition', 'meta', 'fake', 'ref', 'prim', 'lowering', 'fallback')),
    table_name TEXT,                 -- post_autograd, pre_autograd, inductor … of a decomposition
    function TEXT,
    function_file_id INTEGER REFERENCES source_files (id),
    function_line INTEGER,
    how TEXT NOT NULL,
    kernels TEXT,
    condition TEXT,
    is_conditional INTEGER NOT NULL, -- only where a function runs that may never run
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;
CREATE INDEX compile_entries_operator ON compile_entries (operator, role);
CREATE INDEX compile_entries_operator_id ON compile_entries (operator_id);

-- How a table of decompositions is made, step by step.
CREATE TABLE compile_table_steps (
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,        -- torch._inductor.decomposition.decompositions; f() of a function
    action TEXT NOT NULL CHECK (action IN ('get', 'merge', 'remove')),
    source TEXT NOT NULL,
    operator TEXT NOT NULL,
    all_overloads INTEGER NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX compile_table_steps_table ON compile_table_steps (table_name);

-- What the tables hold in the end: core ATen's and Inductor's.
CREATE TABLE compile_tables (
    table_name TEXT NOT NULL,
    operator TEXT NOT NULL,
    entry_id INTEGER REFERENCES compile_entries (id),
    removed INTEGER NOT NULL,        -- was in it and is taken out by a later step
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER,                    -- of the step that puts it in or takes it out
    PRIMARY KEY (table_name, operator)
) STRICT, WITHOUT ROWID;
CREATE INDEX compile_tables_operator ON compile_tables (operator);

-- Lists of operators that have a name: what the partitioner may recompute, for instance.
CREATE TABLE compile_lists (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    operator TEXT NOT NULL,
    all_overloads INTEGER NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX compile_lists_operator ON compile_lists (operator);

CREATE TABLE compile_names (
    table_name TEXT NOT NULL,
    key TEXT NOT NULL,
    field TEXT NOT NULL,             -- '' for the key itself
    value TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

-- Functions defined in functions, which are what helpers register, and those that may decline.
CREATE TABLE compile_functions (
    name TEXT NOT NULL,              -- torch.a.outer.<locals>.inner
    declines INTEGER NOT NULL,       -- returns NotImplemented somewhere
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX compile_functions_name ON compile_functions (name);

CREATE TABLE higher_order_operators (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- cond
    variable TEXT,                   -- torch._higher_order_ops.cond.cond_op
    class_name TEXT,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX higher_order_operators_name ON higher_order_operators (name);

-- Patterns that Inductor's passes look for.
CREATE TABLE compile_patterns (
    id INTEGER PRIMARY KEY,
    form TEXT NOT NULL CHECK (form IN ('graph', 'lowering', 'replacement')),
    function TEXT,                   -- handles a match; of a replacement what is searched for
    function_line INTEGER,
    replacement TEXT,
    passes TEXT,                     -- variables of the passes
    stage TEXT,                      -- pre_grad, joint_graph, post_grad, freezing
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

CREATE TABLE compile_pattern_operators (
    pattern_id INTEGER NOT NULL REFERENCES compile_patterns (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,              -- as written: aten::mm, torch.matmul, Tensor.view
    base TEXT NOT NULL,              -- the last part without an overload: mm
    PRIMARY KEY (pattern_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX compile_pattern_operators_base ON compile_pattern_operators (base);

-- What Dynamo does with a Python function.
CREATE TABLE dynamo_rules (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('rule', 'handler', 'polyfill')),
    name TEXT NOT NULL,              -- torch.softmax
    target TEXT NOT NULL,            -- variable class; handling or replacing function
    target_line INTEGER,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX dynamo_rules_name ON dynamo_rules (name);

CREATE TABLE graph_breaks (
    id INTEGER PRIMARY KEY,
    code TEXT,                       -- GB0001
    message TEXT NOT NULL,           -- {…}: only a run tells
    context TEXT,
    explanation TEXT,
    hints TEXT,                      -- one a line; [NAME]: a group of graph_break_hints.py
    function TEXT,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;

CREATE TABLE compile_options (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('log', 'artifact', 'config', 'env')),
    name TEXT NOT NULL,
    default_value TEXT,              -- an expression; several, joined by |, under conditions
    description TEXT,
    environment TEXT,                -- variables that set it, comma-separated
    details TEXT,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL
) STRICT;
CREATE INDEX compile_options_name ON compile_options (name);
CREATE INDEX compile_options_file ON compile_options (file_id);

-- Files that write to an artifact of TORCH_LOGS.
CREATE TABLE artifact_uses (
    artifact TEXT NOT NULL,
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    PRIMARY KEY (artifact, file_id, line)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_compile AS
SELECT
    e.operator,
    e.role,
    e.function,
    uf.path AS file,
    e.function_line AS line,
    f.path AS registered_file,
    e.line AS registered_line
FROM compile_entries AS e
LEFT JOIN source_files AS uf ON uf.id = e.function_file_id
LEFT JOIN source_files AS f ON f.id = e.file_id
WHERE NOT e.is_conditional;

CREATE VIEW v_compile_options AS
SELECT o.kind, o.name, o.default_value, o.description, f.path AS file, o.line
FROM compile_options AS o
JOIN source_files AS f ON f.id = o.file_id;

-- layer 6: torch.compile end --------------------------------------------------------------

-- layer 7: semantic calls -----------------------------------------------------------------

-- Which of clang's symbols a function is: overloads and specializations apart. Functions that only
-- libclang knows stand in `functions` too, with origin clang; their files have the kind generated
-- (as a build would make them, below build/) or external (<vector>), and calls have origin clang.
CREATE TABLE function_usrs (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id),
    usr TEXT,                        -- NULL unless it is defined in the tree's own files
    is_definition INTEGER NOT NULL   -- 0: only declared in what was read
) STRICT;

-- A virtual method and the one it overrides directly.
CREATE TABLE function_overrides (
    overridden_id INTEGER NOT NULL REFERENCES functions (id),
    function_id INTEGER NOT NULL REFERENCES functions (id),
    PRIMARY KEY (overridden_id, function_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX function_overrides_function ON function_overrides (function_id);

-- Kernels of DispatchStubs as clang resolves them: exact where a name has overloads.
CREATE TABLE semantic_stub_kernels (
    stub TEXT NOT NULL,              -- without namespaces
    function_id INTEGER NOT NULL REFERENCES functions (id),
    form TEXT NOT NULL,              -- RegisterCUDADispatch; DEFAULT, a CPU capability
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    PRIMARY KEY (stub, function_id, form, file_id, line)
) STRICT, WITHOUT ROWID;

-- Functions that stand for an operator: calling one is calling the operator, or being called by it.
CREATE TABLE operator_functions (
    function_id INTEGER NOT NULL REFERENCES functions (id),
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    role TEXT NOT NULL,              -- call, redispatch: at::_ops; api: at::add, Tensor.add;
                                     -- impl, meta: a structured class; generated: a kernel that torchgen writes
    dispatch_key TEXT,               -- that it writes the kernel for: CPU, Autograd, Functionalize
    PRIMARY KEY (function_id, operator_id)
) STRICT, WITHOUT ROWID;

-- Rows of other layers' tables as they were before this layer, which can so be taken out again.
CREATE TABLE semantic_base (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,       -- of the table
    content BLOB NOT NULL            -- its rows: JSON, zlib
) STRICT;

-- layer 7: semantic calls end -------------------------------------------------------------

-- The joined graph ------------------------------------------------------------------------

-- What an edge is, and how it is known.
CREATE TABLE edge_kinds (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,              -- stub, dispatch, structured, operator, launch, bind, python …
    origin TEXT NOT NULL,            -- yaml, delegate, default, impl, macro, syntax, python, clang
    UNIQUE (kind, origin)
) STRICT;

-- Every edge that is no row of `calls`: from what uses a thing to that thing. A node is an id times
-- 16 plus which table it is of: 0 functions, 1 operators, 2 stub_declarations (the first of a name),
-- 3 kernels (of no function: Metal's, embedded ones), 4 python_functions, 5 python_classes,
-- 6 python_natives, 7 bindings. Python's tests are not sources here: `v_edges` has them.
CREATE TABLE edges (
    target INTEGER NOT NULL,
    source INTEGER NOT NULL,
    kind_id INTEGER NOT NULL REFERENCES edge_kinds (id),
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,
    steps INTEGER NOT NULL,          -- 1: a call; 0: a registration, which is no distance
    PRIMARY KEY (target, source, kind_id, file_id, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_source ON edges (source);

-- Calls marked `candidate` that could end at functions of other names than this. The rest of the
-- candidates are overloads of one name: which one is open, that it is one of them is not.
CREATE TABLE ambiguous_calls (
    callee_id INTEGER NOT NULL REFERENCES functions (id),
    caller_id INTEGER NOT NULL REFERENCES functions (id),
    PRIMARY KEY (callee_id, caller_id)
) STRICT, WITHOUT ROWID;

-- Functions that say nothing about who calls them: checks, logging, strings, the standard library,
-- and what the generator writes around every operator.
CREATE TABLE boilerplate_functions (
    function_id INTEGER PRIMARY KEY REFERENCES functions (id),
    what TEXT NOT NULL               -- standard library, builtin, checks, logging, strings, generated
) STRICT;

CREATE VIEW v_edges AS
-- An arm for each pair of things that edges join, so that who asks for either end by its name is
-- answered from an index.
SELECT s.name AS source, t.name AS target, k.kind, k.origin, f.path AS file, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT coalesce(s.python_name, s.name), t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN bindings AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 7
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN operators AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 1
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN stub_declarations AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 2
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_natives AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 6
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN operators AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN operators AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 1
JOIN operators AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_natives AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 6
JOIN operators AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN stub_declarations AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 2
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN operators AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 1
JOIN stub_declarations AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 2
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN kernels AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 3
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, tm.name || '.' || t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN python_functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 4
JOIN python_modules AS tm ON tm.id = t.module_id
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16
JOIN python_classes AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 5
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, tm.name || '.' || t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN operators AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 1
JOIN python_functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 4
JOIN python_modules AS tm ON tm.id = t.module_id
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT sm.name || '.' || s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 4
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT sm.name || '.' || s.name, tm.name || '.' || t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 4
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN python_functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 4
JOIN python_modules AS tm ON tm.id = t.module_id
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, tm.name || '.' || t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_classes AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 5
JOIN python_functions AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 4
JOIN python_modules AS tm ON tm.id = t.module_id
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT sm.name || '.' || s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 4
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN python_classes AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 5
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_classes AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 5
JOIN python_classes AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 5
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
SELECT sm.name || '.' || s.name, t.name, k.kind, k.origin, f.path, e.line
FROM edges AS e
JOIN python_functions AS s ON s.id = e.source >> 4 AND e.source = s.id * 16 + 4
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN python_natives AS t ON t.id = e.target >> 4 AND e.target = t.id * 16 + 6
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN source_files AS f ON f.id = e.file_id
UNION ALL
-- Calls of C++.
SELECT s.name, t.name, c.kind, c.origin, f.path, c.line
FROM calls AS c
JOIN functions AS s ON s.id = c.caller_id
JOIN functions AS t ON t.id = c.callee_id
JOIN source_files AS f ON f.id = s.file_id
WHERE c.kind <> 'stub'
UNION ALL
-- What tests and their helpers call in Python.
SELECT sm.name || '.' || s.name, tm.name || '.' || t.name, CASE WHEN x.id IS NULL THEN 'python' ELSE 'test' END,
       'python', f.path, c.line
FROM python_calls AS c
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_functions AS t ON r.function_id = t.id
JOIN python_modules AS tm ON tm.id = t.module_id
JOIN python_functions AS s ON s.id = c.caller_id
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN source_files AS f ON f.id = sm.file_id
LEFT JOIN tests AS x ON x.function_id = s.id
WHERE NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.source = c.caller_id * 16 + 4
                  AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind IN ('python', 'decorator', 'reference', 'candidate')))
UNION ALL
SELECT sm.name || '.' || s.name, t.name, CASE WHEN x.id IS NULL THEN 'python' ELSE 'test' END,
       'python', f.path, c.line
FROM python_calls AS c
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_classes AS t ON r.class_id = t.id AND r.function_id IS NULL
JOIN python_functions AS s ON s.id = c.caller_id
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN source_files AS f ON f.id = sm.file_id
LEFT JOIN tests AS x ON x.function_id = s.id
WHERE NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.source = c.caller_id * 16 + 4
                  AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind IN ('python', 'decorator', 'reference', 'candidate')))
UNION ALL
SELECT sm.name || '.' || s.name, t.name, CASE WHEN x.id IS NULL THEN 'python' ELSE 'test' END,
       'python', f.path, c.line
FROM python_calls AS c
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_natives AS t ON r.native_id = t.id AND r.function_id IS NULL AND r.class_id IS NULL
JOIN python_functions AS s ON s.id = c.caller_id
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN source_files AS f ON f.id = sm.file_id
LEFT JOIN tests AS x ON x.function_id = s.id
WHERE NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.source = c.caller_id * 16 + 4
                  AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind IN ('python', 'decorator', 'reference', 'candidate')))
UNION ALL
-- Operators that a test calls or is named after, however it does. `likely`: a test or an operator
-- that is asked for comes first, not what is true of most rows.
SELECT sm.name || '.' || s.name, o.name, 'test', 'python', f.path, x.line
FROM tests AS x
JOIN python_functions AS s ON s.id = x.function_id
JOIN python_modules AS sm ON sm.id = s.module_id
JOIN test_operators AS p ON p.test_id = x.id
JOIN operators AS o ON o.base = p.base
JOIN source_files AS f ON f.id = x.file_id
WHERE likely(o.namespace = 'aten') AND likely(o.origin = 'yaml')
AND likely(p.how <> 'n')
UNION ALL
SELECT s.name, o.name, 'test', 'python', f.path, x.line
FROM tests AS x
JOIN functions AS s ON s.id = x.cpp_function_id
JOIN test_operators AS p ON p.test_id = x.id
JOIN operators AS o ON o.base = p.base
JOIN source_files AS f ON f.id = x.file_id
WHERE likely(o.namespace = 'aten') AND likely(o.origin = 'yaml')
AND likely(p.how <> 'n');

-- The joined graph end ----------------------------------------------------------------------
