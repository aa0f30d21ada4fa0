-- name: cpp_derived
-- Which C++ classes derive from one of this name, whatever stands before it?
SELECT DISTINCT c.name FROM cpp_bases AS b JOIN cpp_classes AS c ON c.id = b.class_id
WHERE b.base = :base OR substr(b.base, -length(:base) - 2) = '::' || :base ORDER BY c.id

-- name: module_of
-- Which module of Python is a file?
SELECT name FROM python_modules WHERE file_id = :file ORDER BY id LIMIT 1

-- name: stubs_of_type
-- Which stubs are declared with this type of their functions, those of a file alone where it has some?
SELECT DISTINCT name FROM stub_declarations
WHERE kind = 'declare' AND (type = :type OR substr(type, -length(:type) - 2) = '::' || :type)
  AND (file_id = :file OR NOT EXISTS (SELECT 1 FROM stub_declarations
       WHERE kind = 'declare' AND type = :type AND file_id = :file)) ORDER BY name

-- name: expected_messages
-- What do tests expect errors and warnings to say?
SELECT file_id, messages FROM test_messages ORDER BY file_id

-- name: expecting_at
-- The test, or else the innermost function of Python, that a line of a file stands in.
SELECT t.id, t.name, 'test' AS kind, t.line FROM tests AS t
WHERE t.file_id = :file AND t.kind = 'python' AND t.line <= :line AND t.end_line >= :line
UNION ALL
SELECT p.id, m.name || '.' || p.name, 'python', p.line FROM python_modules AS m
JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND p.line <= :line AND p.end_line >= :line AND p.kind <> 'overload'
ORDER BY 3 DESC, 4 DESC, 1 LIMIT 1

-- name: operators_of_test
-- Which operators has a test to do with?
SELECT base FROM test_operators WHERE test_id = :test

-- name: is_base
-- Is there an operator that is called so, in place or not?
SELECT 1 FROM operators WHERE base IN (:base, :base || '_') LIMIT 1

-- name: imports
-- What do Python files import, and what do they call it?
SELECT b.target, b.kind, b.scope, b.name AS called, f.id, f.path, f.sha FROM python_bindings AS b
JOIN python_modules AS n ON n.id = b.module_id
CROSS JOIN source_files AS f ON f.id = n.file_id
WHERE b.kind IN ('from', 'star', 'import') ORDER BY f.id

-- name: modules_of_file
-- What is a Python file imported as?
SELECT m.name FROM source_files AS s JOIN python_modules AS m ON m.file_id = s.id WHERE s.path = :path

-- name: file_of_function
-- The file of a Python function of a module; methods stand in no table by their name alone.
SELECT f.id, f.path, f.kind, f.sha FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE p.id = :id AND p.class_id IS NULL

-- name: functions_with_lines
-- The innermost Python functions that lines of a file stand in.
SELECT DISTINCT p.id, m.name || '.' || p.name AS name FROM json_each(:lines) AS x
JOIN python_modules AS m ON m.file_id = :file
JOIN python_functions AS p ON p.id = (
    SELECT id FROM python_functions AS q
    WHERE q.module_id = m.id AND q.line <= x.value AND q.end_line >= x.value AND q.kind <> 'overload'
    ORDER BY q.line DESC, q.id LIMIT 1)

-- name: macro_uses_of
-- Which of these texts are uses of a macro?
SELECT DISTINCT text FROM macro_uses WHERE name = :macro AND text IN (SELECT value FROM json_each(:texts)) ORDER BY text

-- name: files_of_gtests
-- The files of the C++ API's tests.
SELECT id, path, sha FROM source_files
WHERE path GLOB 'test/cpp/api/*' AND id IN (SELECT file_id FROM tests WHERE kind = 'gtest') ORDER BY id

-- name: gtests_with_lines
-- The C++ tests that lines of a file stand in.
SELECT DISTINCT t.id, t.name FROM json_each(:lines) AS x JOIN tests AS t ON t.file_id = :file
    AND t.line <= x.value AND t.end_line >= x.value ORDER BY t.id

-- name: cpp_with_lines
-- The innermost C++ functions that lines of a file stand in.
SELECT DISTINCT u.id, u.name FROM json_each(:lines) AS x JOIN functions AS u ON u.id = (
    SELECT id FROM functions WHERE file_id = :file AND line <= x.value AND end_line >= x.value
    ORDER BY line DESC, id LIMIT 1)

-- name: cpp_around_lines
-- The innermost C++ function that each of some lines of a file stands in.
SELECT x.value AS at, u.id, u.name, u.line FROM json_each(:lines) AS x JOIN functions AS u ON u.id = (
    SELECT id FROM functions WHERE file_id = :file AND line <= x.value AND end_line >= x.value
    ORDER BY line DESC, id LIMIT 1)
ORDER BY u.id, at

-- name: looked_up
-- By what beginnings of its name is a method of Python looked up? The index writes `call_~` for f"call_{name}".
SELECT DISTINCT t.target FROM python_resolutions AS r JOIN python_targets AS t ON t.id = r.target_id
WHERE r.function_id = :function AND t.target LIKE '%~' ORDER BY t.target

-- name: imported_as
-- What do modules call it that they import?
SELECT DISTINCT name FROM python_bindings WHERE kind = 'from' AND target = :target ORDER BY name

-- name: others_called
-- What of Python, or of what C++ binds, is called so besides a type?
SELECT 1 FROM python_functions WHERE name = :last
UNION ALL SELECT 1 FROM python_classes WHERE last = :last
UNION ALL SELECT 1 FROM v_bindings WHERE python_name GLOB '*.' || :last AND python_name <> :bound
    AND python_name NOT GLOB 'torch.classes.*'  -- TorchScript's, which Python asks for otherwise
LIMIT 1

-- name: python_files
-- The files of Python, those with tests first.
SELECT f.id, f.path, f.sha FROM source_files AS f WHERE f.kind = 'python'
ORDER BY f.path NOT GLOB 'test/*' AND f.path NOT GLOB 'torch/testing/*', f.path NOT GLOB 'torch/*', f.id

-- name: tests_with_name
-- Which tests in Python have a name in their bodies?
SELECT t.id AS test, t.name, p.line, p.end_line, p.module_id, f.id, f.path, f.sha
FROM tests_bodies AS b
CROSS JOIN python_functions AS p ON p.id = b.rowid
CROSS JOIN tests AS t ON t.function_id = p.id
CROSS JOIN source_files AS f ON f.id = t.file_id
WHERE tests_bodies MATCH :name
ORDER BY b.rowid, t.id LIMIT :most

-- name: bound_in
-- What does a module import, and what does it assign?
SELECT name, target FROM python_bindings WHERE module_id = :module AND scope = ''
