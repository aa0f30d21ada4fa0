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
    kind TEXT NOT NULL,              -- yaml, python, cpp, cuda, objc, metal, other
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
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX coverage_layer ON coverage (layer, status);

-- Layer 1: operators --------------------------------------------------------------------

CREATE TABLE tags (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    line INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sets that the tree's own generator is written with (torchgen/model.py and its neighbours).
CREATE TABLE torchgen_rules (
    name TEXT NOT NULL,              -- structured_dispatch_key, ufunc_dispatch_key, inherited_tag
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
    signature TEXT NOT NULL,         -- as written, white space folded
    kind TEXT NOT NULL,              -- function, method, constructor, destructor, conversion,
                                     -- operator, kernel (CUDA), lambda, structured, macro
    file_id INTEGER NOT NULL REFERENCES source_files (id),
    line INTEGER NOT NULL,           -- of the name, or of the macro's use
    end_line INTEGER NOT NULL,
    is_anonymous INTEGER NOT NULL DEFAULT 0,  -- in an anonymous namespace
    origin TEXT NOT NULL CHECK (origin IN ('syntax', 'macro', 'clang')),
    macro TEXT,                      -- that makes it
    scope TEXT,                      -- of a head that a macro makes
    class_name TEXT
) STRICT;
CREATE INDEX functions_name ON functions (name);
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
CREATE INDEX macro_uses_name ON macro_uses (name);

-- Which functions a dispatch entry ends at: more than one where `#if` has variants.
CREATE TABLE dispatch_kernels (
    dispatch_id INTEGER NOT NULL REFERENCES dispatch (id),
    function_id INTEGER NOT NULL REFERENCES functions (id),
    is_primary INTEGER NOT NULL,     -- one a dispatch entry
    PRIMARY KEY (dispatch_id, function_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dispatch_kernels_function ON dispatch_kernels (function_id);

CREATE VIEW v_functions AS
SELECT u.id, u.name, u.signature, u.kind, f.path AS file, u.line, u.end_line, u.origin
FROM functions AS u
JOIN source_files AS f ON f.id = u.file_id;

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
    block_line INTEGER NOT NULL      -- of the block: what the runtime calls «registered at»
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

-- layer 2: registrations end --------------------------------------------------------------

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

-- The names in __all__; `torch.x.*` stands for another module's.
CREATE TABLE python_exports (
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (module_id, position)
) STRICT, WITHOUT ROWID;

-- What a module or class calls something: imports, assignments, attributes of self.
CREATE TABLE python_bindings (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    scope TEXT NOT NULL,             -- class within the module, or empty
    name TEXT NOT NULL,              -- * for a star import
    kind TEXT NOT NULL,              -- import, from, star, alias, call, annotation, attribute
    target TEXT NOT NULL,            -- see indexer/facts/python.py
    line INTEGER NOT NULL,
    guarded INTEGER NOT NULL         -- under `if TYPE_CHECKING`
) STRICT;

CREATE TABLE python_classes (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    name TEXT NOT NULL,              -- torch.nn.modules.linear.Linear
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
CREATE INDEX python_classes_public ON python_classes (public_name);
CREATE INDEX python_classes_category ON python_classes (category, section_position);

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

CREATE TABLE python_functions (
    id INTEGER PRIMARY KEY,
    module_id INTEGER NOT NULL REFERENCES python_modules (id),
    class_id INTEGER REFERENCES python_classes (id),
    name TEXT NOT NULL,              -- within the module: Linear.forward
    kind TEXT NOT NULL,              -- function, method, staticmethod, property, overload …
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

-- Names that C++ or a generator gives to operators: torch._C._nn.gelu, torch._C.TensorBase.add.
CREATE TABLE python_natives (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    how TEXT NOT NULL,               -- generated, handwritten, alias, ops
    file_id INTEGER REFERENCES source_files (id),
    line INTEGER
) STRICT;

CREATE TABLE python_native_operators (
    native_id INTEGER NOT NULL REFERENCES python_natives (id),
    operator_id INTEGER NOT NULL REFERENCES operators (id),
    PRIMARY KEY (native_id, operator_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX python_native_operators_operator ON python_native_operators (operator_id);

-- Each thing that functions use, once, and what it is; all NULL where nothing in the tree is.
CREATE TABLE python_targets (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL UNIQUE,
    function_id INTEGER REFERENCES python_functions (id),
    class_id INTEGER REFERENCES python_classes (id),
    native_id INTEGER REFERENCES python_natives (id)
) STRICT;
CREATE INDEX python_targets_function ON python_targets (function_id);
CREATE INDEX python_targets_class ON python_targets (class_id);
CREATE INDEX python_targets_native ON python_targets (native_id);

CREATE TABLE python_calls (
    caller_id INTEGER NOT NULL REFERENCES python_functions (id),
    line INTEGER NOT NULL,
    target_id INTEGER NOT NULL REFERENCES python_targets (id),
    kind INTEGER NOT NULL,           -- 0 call, 1 reference, 2 operator: a + b, a[i]
    PRIMARY KEY (caller_id, target_id, line, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX python_calls_target ON python_calls (target_id);

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

-- Each name once for each kind of thing it names; filled by indexer/link/90_names.sql.
CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,              -- as written: aten::softmax, at::native::gelu_out_cpu
    kind TEXT NOT NULL,              -- operator, kernel, function, api, class, stub …
    last TEXT NOT NULL,              -- the last component: softmax, gelu_out_cpu
    words TEXT NOT NULL,             -- split at camelCase, snake_case and ::
    UNIQUE (name, kind)
) STRICT;
CREATE INDEX names_last ON names (last COLLATE NOCASE, kind);

CREATE VIRTUAL TABLE names_words USING fts5 (
    words, content = 'names', content_rowid = 'id', tokenize = 'unicode61', prefix = '2 3'
);
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
    EXISTS (SELECT 1 FROM dispatch AS d
            WHERE d.operator_id = o.id
              AND d.dispatch_key = 'CompositeImplicitAutograd') AS is_composite_implicit,
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
    NULL AS kernel_file,
    NULL AS kernel_line,
    f.path AS registered_file,
    d.line AS registered_line,
    d.origin
FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
LEFT JOIN source_files AS f ON f.id = d.file_id;

CREATE VIEW v_derivatives AS
SELECT d.operator, d.inputs AS input, d.formula, f.path AS file, d.line
FROM derivatives AS d
JOIN source_files AS f ON f.id = d.file_id;

CREATE VIEW v_coverage AS
SELECT layer, file, status, detail FROM coverage;
