-- name: file
-- One file of the index, and what it was when it was read.
SELECT id, path, kind, sha FROM source_files WHERE path = :path

-- name: ending_so
-- Which files' paths end so?
SELECT path, sha FROM source_files WHERE substr(path, -length(:ending)) = :ending

-- name: tests_named
-- Which tests have one of these names, and in which classes?
SELECT t.id, t.name, c.name AS class FROM tests AS t LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.name IN (SELECT value FROM json_each(:names)) ORDER BY t.id

-- name: cpp_at
-- The C++ functions that lines of a file stand in, and variables and data members that something is seen to use: who uses
-- another, its name tells.
SELECT id, name, kind, line, end_line FROM functions AS u
WHERE file_id = :file AND line <= :last AND end_line >= :first
  AND (kind NOT IN ('variable', 'field') OR EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id))
ORDER BY line, id

-- name: python_at
-- The Python functions that lines of a file stand in; of an overload, which only tells types, what stands for all of them.
SELECT coalesce((SELECT q.id FROM python_functions AS q
                 WHERE p.kind = 'overload' AND q.module_id = p.module_id AND q.name = p.name AND q.kind <> 'overload'
                 ORDER BY q.line DESC LIMIT 1), p.id) AS id, m.name || '.' || p.name AS name, p.line, p.end_line
FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND p.line <= :last AND p.end_line >= :first ORDER BY p.line, p.id

-- name: python_ending
-- The Python functions that end with a line of a file, the innermost first.
SELECT p.id, m.name || '.' || p.name AS name, p.line, p.end_line,
       length(p.name) - length(replace(p.name, '.', '')) AS depth
FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND p.end_line = :last ORDER BY p.line DESC, p.id

-- name: classes_at
-- The Python classes that lines of a file stand in.
SELECT c.id, c.name, c.line, c.end_line FROM python_modules AS m
JOIN python_classes AS c ON c.module_id = m.id
WHERE m.file_id = :file AND c.line <= :last AND c.end_line >= :first ORDER BY c.line DESC, c.id

-- name: cpp_class_at
-- The innermost C++ class that lines of a file stand in.
SELECT name, line, end_line FROM cpp_classes
WHERE file_id = :file AND line <= :last AND end_line >= :first ORDER BY line DESC, id LIMIT 1

-- name: cpp_called
-- Which C++ functions have one of these names behind the last colon, and where do they stand?
SELECT u.id, u.name, u.last, f.path FROM json_each(:names) AS x
-- The index is one of names without their case.
CROSS JOIN functions AS u ON u.last = x.value COLLATE NOCASE AND u.last = x.value
JOIN source_files AS f ON f.id = u.file_id
WHERE f.kind <> 'generated' ORDER BY u.id

-- name: cpp_members
-- The methods of a C++ class.
SELECT u.id, u.name, u.line, u.end_line, u.file_id, f.path, f.sha
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.name > :class || '::' AND u.name < :class || ':;' AND u.kind NOT IN ('variable', 'field')
AND instr(substr(u.name, length(:class) + 3), '::') = 0 ORDER BY u.id LIMIT 400

-- name: cpp_bases
-- What each C++ class derives from, as it is written.
SELECT c.name, b.base FROM cpp_bases AS b JOIN cpp_classes AS c ON c.id = b.class_id

-- name: namesakes
-- Which other files than one have a C++ class of a last name?
SELECT DISTINCT f.path FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id
WHERE c.file_id <> :file AND (c.name = :last OR c.name LIKE '%::' || :last)

-- name: cpp_class_names
-- What are all C++ classes called?
SELECT DISTINCT name FROM cpp_classes

-- name: python_below
-- The first Python function or class below a line, which decorators there belong to.
SELECT * FROM (
    SELECT 'python' AS kind, p.id, m.name || '.' || p.name AS name, p.line, p.end_line, p.decorators
    FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
    WHERE m.file_id = :file AND p.line > :last ORDER BY p.line LIMIT 1)
UNION ALL
SELECT * FROM (
    SELECT 'class', c.id, c.name, c.line, c.end_line, c.decorators
    FROM python_modules AS m JOIN python_classes AS c ON c.module_id = m.id
    WHERE m.file_id = :file AND c.line > :last ORDER BY c.line LIMIT 1)
ORDER BY line LIMIT 1

-- name: cpp_below
-- The first C++ function below a line.
SELECT id, name, line, end_line FROM functions
WHERE file_id = :file AND line > :last AND kind NOT IN ('lambda', 'variable', 'field') ORDER BY line, id LIMIT 1

-- name: docstrings_of_file
-- On which lines of a Python file do docstrings and their like stand?
SELECT line, end_line FROM python_docstrings WHERE file_id = :file ORDER BY line

-- name: opinfos_at
-- The OpInfos that lines of a file stand in.
SELECT id, name, variant, line, end_line FROM opinfos
WHERE file_id = :file AND line <= :last AND end_line >= :first ORDER BY line, id

-- name: options_at
-- The options of torch.compile that lines begin.
SELECT id, name, line FROM compile_options
WHERE file_id = :file AND kind = 'config' AND line BETWEEN :first AND :last ORDER BY line, id

-- name: assigned_named
-- Where does torch.testing assign a name that tests use: in full, or by its last part?
SELECT u.name, f.path, u.line FROM test_utilities AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.name = :name OR (u.last = :name AND NOT EXISTS (SELECT 1 FROM test_utilities WHERE name = :name)) ORDER BY u.id

-- name: entries_of_file
-- The OpInfos and their like of a file.
SELECT name, variant, class FROM opinfos WHERE file_id = :file

-- name: operators_at
-- The YAML entries that lines of native_functions.yaml stand in: each ends where the next begins.
SELECT base, name, line, end_line FROM (
    SELECT base, name, line,
           lead(line, 1, 1000000000) OVER (ORDER BY line) - 1 AS end_line
    FROM operators WHERE file_id = :file AND origin = 'yaml')
WHERE line <= :last AND end_line >= :first ORDER BY line

-- name: formulas_at
-- The entries of derivatives.yaml that lines stand in.
SELECT operator, line, end_line FROM (
    SELECT operator, line, lead(line, 1, 1000000000) OVER (ORDER BY line) - 1 AS end_line
    FROM derivative_entries WHERE file_id = :file)
WHERE line <= :last AND end_line >= :first ORDER BY line

-- name: formula_keys_at
-- Under which dispatch keys stand the formulas of an entry that lines stand in? Each ends where the next begins.
SELECT DISTINCT dispatch_key FROM (
    SELECT dispatch_key, line, lead(line, 1, :end + 1) OVER (ORDER BY line) - 1 AS end_line
    FROM derivatives WHERE file_id = :file AND operator = :operator)
WHERE line <= :last AND end_line >= :first

-- name: registrations_at
-- The operators that code on these lines registers something for.
SELECT DISTINCT o.name, r.dispatch_key, r.line FROM registrations AS r
JOIN operators AS o ON o.name = r.operator
WHERE r.file_id = :file AND r.line BETWEEN :first AND :last ORDER BY r.line, o.id

-- name: bound_in
-- What does a file bind to Python, and where?
SELECT python_name, form, line FROM bindings
WHERE file_id = :file AND python_name IS NOT NULL AND form NOT IN ('submodule', 'generated') ORDER BY line, id

-- name: registering_lines
-- On which lines of a file do statements begin that register something for an operator?
SELECT DISTINCT line FROM registrations WHERE file_id = :file ORDER BY line

-- name: bound_lambdas_end
-- On which lines of a file do lambdas end that are bound, with no other binding behind them?
SELECT line FROM binding_owners WHERE file_id = :file AND node = 'lambda' ORDER BY line

-- name: native_named
-- What is known by this name in Python and bound in C++?
SELECT id, name FROM python_natives WHERE name = replace(:name, 'torch._C._TensorBase.', 'torch._C.TensorBase.')

-- name: stubs_at
-- The stubs that lines register kernels for, or declare.
SELECT stub AS name, line FROM stub_registrations
WHERE file_id = :file AND line BETWEEN :first AND :last
UNION SELECT name, line FROM stub_declarations
WHERE file_id = :file AND line BETWEEN :first AND :last ORDER BY line, 1

-- name: macros_in
-- The macros that a file defines.
SELECT name, line, body FROM macro_definitions WHERE file_id = :file ORDER BY line

-- name: macros_of_file
-- Which macros does a file define?
SELECT name, min(line) AS line FROM macro_definitions WHERE file_id = :file AND body <> '' GROUP BY name ORDER BY line

-- name: macro_bodies
-- What does each macro expand to, of a file or of all?
SELECT name, params, body FROM macro_definitions WHERE :file IS NULL OR file_id = :file ORDER BY id

-- name: macro_names
-- What are macros called?
SELECT DISTINCT name FROM macro_definitions

-- name: macro_named
-- What do macros of this name stand for?
SELECT body FROM macro_definitions WHERE name = :name

-- name: macro_files
-- How many files define a macro of this name?
SELECT count(DISTINCT file_id) AS files FROM macro_definitions WHERE name = :name

-- name: made_by_macros
-- Which functions do macros make?
SELECT f.id, f.name, f.file_id, f.line, f.macro FROM functions AS f WHERE f.macro IS NOT NULL ORDER BY f.id

-- name: uses_of_macros
-- Where do macros stand that may make functions, and what are they given?
SELECT u.name, u.text, u.file_id, u.line FROM macro_uses AS u ORDER BY u.id

-- name: functions_of
-- What are these functions called?
SELECT f.id, f.name FROM json_each(:functions) AS x JOIN functions AS f ON f.id = x.value ORDER BY x.key

-- name: gpu_kernels_of_file
-- The GPU kernels of a file.
SELECT id, name, line FROM kernels WHERE file_id = :file AND is_definition ORDER BY line, id

-- name: gpu_kernels_at
-- The GPU kernels that begin on or shortly before these lines.
SELECT id, name, line FROM kernels
WHERE file_id = :file AND is_definition AND line <= :last ORDER BY line DESC LIMIT 1

-- name: embedded_kernels
-- The kernels that stand in strings of a file, and whether it is known who launches them.
SELECT k.id, k.name, k.line, EXISTS (SELECT 1 FROM launch_kernels AS x WHERE x.kernel_id = k.id) AS is_launched
FROM kernels AS k WHERE k.file_id = :file AND k.embedded AND k.is_definition ORDER BY k.line, k.id

-- name: shader_variants_at
-- The variants of Vulkan's shaders whose entries of a YAML file, of some three lines each, stand on these lines.
SELECT id, name, line FROM kernels
WHERE file_id = :file AND platform = 'vulkan'
  AND (line BETWEEN :first AND :last
       OR line = (SELECT max(line) FROM kernels WHERE file_id = :file AND line BETWEEN :first - 2 AND :first))
ORDER BY line, id

-- name: own_kernels
-- The kernels of an operator that are no other's.
SELECT DISTINCT u.id, u.name, f.path, u.line FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
WHERE o.namespace = :namespace AND o.base = :base AND NOT EXISTS (
    SELECT 1 FROM dispatch_kernels AS k2
    JOIN dispatch AS d2 ON d2.id = k2.dispatch_id
    JOIN operators AS o2 ON o2.id = d2.operator_id
    WHERE k2.function_id = k.function_id AND NOT (o2.namespace = :namespace AND o2.base = :base))
ORDER BY u.id

-- name: has_operator
-- Is there an operator of this name?
SELECT 1 FROM operators WHERE namespace = :namespace AND base = :base LIMIT 1

-- name: file_tests
-- The tests of a file.
SELECT id, name, line FROM tests WHERE file_id = :file ORDER BY id

-- name: test_counts
-- How many tests has each file?
SELECT f.path, x.tests FROM (SELECT file_id, count(*) AS tests FROM tests GROUP BY file_id) AS x
JOIN source_files AS f ON f.id = x.file_id ORDER BY f.path

-- name: running_files
-- Which files in test/ have a file's tests, those that name its classes first?
SELECT r.path FROM test_sources AS s JOIN source_files AS r ON r.id = s.file_id
WHERE s.source_id = :file AND r.path NOT GLOB 'torch/*'
ORDER BY s.classes IS NULL, length(r.path), r.path

-- name: operators_named
-- Which of these names are operators'?
SELECT name FROM operators WHERE name IN (SELECT value FROM json_each(:names)) ORDER BY id

-- name: file_of_module
-- The file of a module of Python.
SELECT f.id, f.path, f.kind, f.sha FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :module ORDER BY m.is_package DESC LIMIT 1

-- name: imported
-- What does a file of tests in Python import, or call by a full name?
SELECT b.target FROM source_files AS f
JOIN python_modules AS m ON m.file_id = f.id
CROSS JOIN python_bindings AS b ON b.module_id = m.id
WHERE f.path = :path AND b.kind IN ('import', 'from', 'star')
UNION
SELECT t.target FROM source_files AS f
JOIN python_modules AS m ON m.file_id = f.id
CROSS JOIN python_functions AS p ON p.module_id = m.id
CROSS JOIN python_calls AS c ON c.caller_id = p.id
CROSS JOIN python_targets AS t ON t.id = c.target_id
WHERE f.path = :path AND t.target GLOB 'torch.*'

-- name: importing
-- Which files import which Python file or names of it? That may be written `from torch.fx import passes`, too.
WITH imported (module_id, name) AS (
    SELECT DISTINCT module_id, substr(target, 1, instr(target || ':', ':') - 1)
    FROM python_bindings WHERE kind IN ('import', 'from', 'star')
    UNION
    SELECT module_id, replace(target, ':', '.') FROM python_bindings WHERE kind = 'from'
)
SELECT s.path, f.path AS by, f.id IN (SELECT file_id FROM tests) AS has_tests
FROM imported AS i
CROSS JOIN python_modules AS m ON m.name = i.name
CROSS JOIN source_files AS s ON s.id = m.file_id
CROSS JOIN python_modules AS n ON n.id = i.module_id
CROSS JOIN source_files AS f ON f.id = n.file_id
WHERE f.id <> s.id

-- name: sources_called
-- Which files have paths of such a form?
SELECT path FROM source_files WHERE path GLOB :form ORDER BY path

-- name: besides_tests
-- Which files are there in folders, tests left out?
SELECT path FROM source_files WHERE instr(path, '/') AND path NOT GLOB 'test/*'

-- name: source_root
-- Which tree was indexed?
SELECT value AS root FROM meta WHERE key = 'source_root'

-- name: files_of_tests
-- The Python files of tests and of what they are made with.
SELECT id, path, sha FROM source_files
WHERE kind = 'python' AND (path GLOB 'torch/testing/*' OR id IN (SELECT file_id FROM tests)) ORDER BY id

-- name: test_of_name
-- Which test of a file has this name, the nearest to a line?
SELECT id, end_line FROM tests WHERE file_id = :file AND name = :name ORDER BY abs(line - :line), id LIMIT 1

-- name: function_of_name
-- Which Python function of a file is called so, the nearest to a line?
SELECT p.id, m.name || '.' || p.name AS name, p.end_line FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND (p.name = :name OR substr(p.name, -length(:name) - 1) = '.' || :name)
ORDER BY abs(p.line - :line), p.id LIMIT 1

-- name: tests_of_name
-- Which tests are called so, or stand in a C++ suite that is? In classes of the owner's name, or in any where it is empty.
SELECT t.id, coalesce(c.name || '.', '') || t.name AS name, f.path, t.line FROM tests AS t
LEFT JOIN test_classes AS c ON c.id = t.class_id
JOIN source_files AS f ON f.id = t.file_id
WHERE t.name = :name AND (:owner = '' OR c.name = :owner)
UNION
SELECT t.id, c.name || '.' || t.name, f.path, t.line FROM test_classes AS c
JOIN tests AS t ON t.class_id = c.id
JOIN source_files AS f ON f.id = t.file_id
WHERE :owner = '' AND c.name = :name AND c.class_id IS NULL ORDER BY 1 LIMIT 500

-- name: test_classes_of_name
-- Which Python classes of tests are called so?
SELECT c.id, c.name, f.path, c.line FROM test_classes AS t
JOIN python_classes AS c ON c.id = t.class_id
JOIN source_files AS f ON f.id = t.file_id
WHERE t.name = :name ORDER BY c.id

-- name: assigned_at
-- The tests that a class takes from elsewhere on lines of a file: what runs stands on other lines.
SELECT t.id, coalesce(c.name || '.', '') || t.name AS name, f.path, t.line FROM tests AS t
LEFT JOIN test_classes AS c ON c.id = t.class_id
JOIN source_files AS f ON f.id = t.file_id
JOIN python_functions AS p ON p.id = t.function_id
JOIN python_modules AS m ON m.id = p.module_id
WHERE t.file_id = :file AND t.line <= :last AND t.end_line >= :first
  AND (m.file_id <> t.file_id OR p.line <> t.line) ORDER BY t.line, t.id

-- name: tests_with
-- Which tests of some files, of those that anybody runs, have these words in their own or their class's name?
SELECT t.id FROM tests_words AS w JOIN tests AS t ON t.id = w.rowid
JOIN source_files AS f ON f.id = t.file_id
WHERE tests_words MATCH :words AND f.path IN (SELECT value FROM json_each(:files))
  AND NOT {never_run:t}
ORDER BY t.id LIMIT :limit

-- name: cpp_files
-- All files of C++, those in a folder of the tree first.
SELECT id, path, sha FROM source_files
WHERE kind IN ('cpp', 'cuda', 'objc') ORDER BY substr(path, 1, instr(path, '/')) <> :folder, id

-- name: words_of_test
-- What is a test called, where does it stand, with which arguments is it made for devices, if it is, and is it never run?
SELECT t.name, t.words, f.path,
       {never_run:t} AS is_never_run, (
    SELECT json_group_array(i.arguments) FROM test_instantiations AS i
    WHERE i.class_id = t.class_id AND i.kind = 'devices') AS made_for
FROM tests AS t JOIN source_files AS f ON f.id = t.file_id WHERE t.id = :test

-- name: functions_beside
-- The functions of a file, those nearest to a line first.
SELECT u.id, u.name FROM source_files AS f JOIN functions AS u ON u.file_id = f.id
WHERE f.path = :file AND u.kind <> 'variable' ORDER BY abs(u.line - :line), u.id LIMIT :most

-- name: python_functions_beside
-- The same of a file of Python.
SELECT p.id, m.name || '.' || p.name AS name
FROM source_files AS f JOIN python_modules AS m ON m.file_id = f.id JOIN python_functions AS p ON p.module_id = m.id
WHERE f.path = :file AND p.kind NOT IN ('overload', 'module') ORDER BY abs(p.line - :line), p.id LIMIT :most

-- name: functions_of_folder
-- Some functions of each other file of a folder, those of what is called like the file first.
WITH others AS (
    SELECT f.path, u.id, u.name,
           row_number() OVER (PARTITION BY f.id ORDER BY u.end_line - u.line DESC, u.id) AS number
    FROM source_files AS f JOIN functions AS u ON u.file_id = f.id
    WHERE f.path GLOB :folder || '*' AND NOT instr(substr(f.path, length(:folder) + 1), '/')
      AND f.path <> :file AND u.kind <> 'variable'
)
SELECT id, name FROM others ORDER BY substr(path, 1, length(:stem)) <> :stem, number, path, id LIMIT :most

-- name: files_below
-- The files whose paths begin so.
SELECT id, path, kind, sha FROM source_files WHERE path >= :stem AND path < :end ORDER BY path
