-- name: overloads
-- Each overload that is asked for, with every field of its entry.
SELECT o.*, f.path,
    (SELECT r.via FROM registrations AS r WHERE o.origin = 'library' AND r.kind = 'def'
        AND r.operator = o.name AND r.file_id = o.file_id AND r.line = o.line LIMIT 1) AS declared_by
FROM json_each(:names) AS wanted
JOIN operators AS o ON o.name = wanted.value
LEFT JOIN source_files AS f ON f.id = o.file_id
-- What users call comes before the out variants it is made of.
ORDER BY o.kind = 'out', wanted.key

-- name: tags
SELECT t.tag FROM operator_tags AS t WHERE t.operator_id = :id ORDER BY t.tag

-- name: fields
-- The entry's fields that are lists.
SELECT field, key, value FROM operator_fields
WHERE operator_id = :id ORDER BY field, position

-- name: dispatch
-- The whole table of an overload, in the order in which the tree makes it; what picks a backend comes before these.
SELECT d.*, f.path, r.condition
FROM dispatch AS d
LEFT JOIN source_files AS f ON f.id = d.file_id
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
LEFT JOIN registrations AS r ON r.id = l.registration_id
WHERE d.operator_id = :id
ORDER BY d.dispatch_key <> 'BackendSelect' OR d.generated_by IS NULL, d.id

-- name: derivative
-- By whose formulas is it differentiated? A foreach operator by those of what it takes lists for.
SELECT CASE WHEN EXISTS (SELECT 1 FROM torchgen_rules AS r
                         WHERE r.name = 'foreach_formulas' AND substr(o.base, 1, length(r.value)) = r.value
                           AND NOT instr(e.operator, '::' || r.value)) THEN 'foreach' ELSE u.how END AS how,
       e.operator AS entry, e.output_differentiability
FROM derivative_uses AS u
JOIN operators AS o ON o.id = u.operator_id
JOIN derivative_entries AS e ON e.operator = u.entry
WHERE u.operator_id = :id

-- name: lacks_formulas
-- Is it the index of a package without formulas? The wheel of PyTorch 2.0 has none, that of 2.3 has.
-- One inside the other: of a tree the files are not looked through.
SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'source_kind' AND value = 'installed'
                 AND NOT EXISTS (SELECT 1 FROM source_files WHERE path LIKE '%/derivatives.yaml'))

-- name: formulas
SELECT d.id, d.inputs, d.formula, d.dispatch_key, f.path, d.line
FROM derivatives AS d
JOIN source_files AS f ON f.id = d.file_id
WHERE d.operator = :entry ORDER BY d.line, d.id

-- name: formula_functions
SELECT name FROM derivative_functions
WHERE derivative_id = :id AND NOT is_method ORDER BY position

-- name: python_names
-- Public names that end at this overload, and how many there are: the one that was asked for first.
SELECT a.api, count(*) OVER () AS total FROM python_apis AS a JOIN operators AS o ON o.id = a.operator_id
WHERE o.name = :name GROUP BY a.api
-- They are stored with the likeliest first; functions that call the operator among others come behind its names.
ORDER BY a.api IS NOT :asked, instr(a.api || '.', '.' || o.base || '.') = 0
     AND rtrim(a.api, replace(a.api, '.', '')) || rtrim(ltrim(o.base, '_'), '_') <> a.api AND min(a.function_id) IS NOT NULL,
    min(a.id) LIMIT 8

-- name: variants
-- The in-place, functional and out twins that are not of the packets asked for.
SELECT DISTINCT twin.name
FROM json_each(:names) AS wanted
JOIN operators AS o ON o.name = wanted.value
JOIN operators AS twin ON twin.signature = o.signature AND twin.namespace = o.namespace
WHERE twin.base <> o.base
ORDER BY twin.id LIMIT 30

-- name: function
-- Where does a C++ function stand, overload by overload?
SELECT u.signature AS text, f.path, u.line
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.name = :name ORDER BY f.path, u.line LIMIT 30

-- name: of_backend
-- Of which operators is a function a kernel, as the YAML file of a backend's own says?
SELECT DISTINCT substr(r.value, 1, instr(r.value, ' ') - 1) AS backend, o.name
FROM functions AS u
JOIN edges AS e ON e.target = u.id * 16 AND e.source & 15 = 1
JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'dispatch'
JOIN torchgen_rules AS r ON r.name = 'backend' AND r.file_id = e.file_id
JOIN operators AS o ON o.id = e.source >> 4
WHERE u.name = :name ORDER BY 1, o.id

-- name: behind_stub
-- Which DispatchStubs is a C++ function registered with?
SELECT DISTINCT 'kernel of ' || r.stub || ' for ' || r.backend AS text, r.stub, f.path, r.line
FROM stub_registrations AS r
JOIN source_files AS f ON f.id = r.file_id
WHERE r.function_id IN (SELECT id FROM functions WHERE name = :name)
ORDER BY r.stub, r.backend, f.path, r.line LIMIT 30

-- name: stub
-- Which kernels are registered with a DispatchStub?
SELECT backend || ' -> ' || kernel AS text, kernel_file AS path, kernel_line AS line
FROM v_stubs WHERE stub = :name ORDER BY backend, kernel_file, kernel_line LIMIT 60

-- name: class
-- Where does a Python class stand?
SELECT name AS text, file AS path, line FROM v_classes
WHERE name = :name OR public_name = :name LIMIT 5

-- name: method
-- Where does a method of a Python class stand?
SELECT p.id, m.name || '.' || p.name || p.signature AS text, f.path, p.line
FROM python_modules AS m
JOIN python_functions AS p ON p.module_id = m.id
JOIN source_files AS f ON f.id = m.file_id
WHERE substr(:name, 1, length(m.name) + 1) = m.name || '.' AND p.name = substr(:name, length(m.name) + 2)
ORDER BY p.kind = 'overload', p.line LIMIT 5

-- name: python
-- Where does a public function stand below which no operator is found, and how is it called?
SELECT p.id, m.name || '.' || p.name || p.signature AS text, f.path, a.line
FROM python_apis AS a
JOIN python_functions AS p ON p.id = a.function_id
JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN source_files AS f ON f.id = a.file_id
WHERE a.api = :name LIMIT 12

-- name: module
-- Where does a module of Python stand?
SELECT m.name AS text, f.path, 1 AS line
FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id WHERE m.name = :name ORDER BY m.id LIMIT 5

-- name: value
-- Where does a module assign what a call makes, and of what?
SELECT m.name || '.' || b.name || ' = '
    || coalesce(nullif(replace(substr(b.target, 1, instr(b.target || '|', '|') - 1), ':', '.'), ''), 'another package''s ')
    || '(…)' AS text, f.path, b.line
FROM python_bindings AS b
JOIN python_modules AS m ON m.id = b.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE b.name = :last AND b.scope = '' AND b.kind IN ('alias', 'call') AND b.kind = 'call'
  AND m.name || '.' || b.name = :name
ORDER BY b.guarded, b.line DESC LIMIT 5

-- name: internal
-- Where does a Python function stand that is no public name? A module's own code stands on no line of its own.
SELECT p.id, m.name || '.' || p.name || p.signature AS text, f.path, max(p.line, 1) AS line
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE substr(:name, 1, length(m.name) + 1) = m.name || '.' AND p.name = substr(:name, length(m.name) + 2)
ORDER BY p.kind = 'overload', p.line LIMIT 5

-- name: binding
-- What does C++ bind to a Python name? Of an installed package there are templates and stubs alone.
SELECT coalesce(b.cpp_name, b.form) AS text, f.path, b.line
FROM bindings AS b JOIN source_files AS f ON f.id = b.file_id
WHERE b.python_name = :name
UNION ALL
SELECT CASE WHEN n.how = 'stub' THEN 'known from a stub, which does not say what it calls'
            WHEN f.path LIKE '%.pyi' THEN 'known from a stub' ELSE 'bound by hand' END, f.path, n.line
FROM python_natives AS n JOIN source_files AS f ON f.id = n.file_id
WHERE n.name = :name AND NOT EXISTS (SELECT 1 FROM bindings AS b WHERE b.python_name = :name)
UNION ALL
SELECT CASE WHEN f.path LIKE '%.pyi' THEN 'known from a stub' ELSE 'a ' || s.how || ' that C++ makes' END, f.path, s.line
FROM python_native_bindings AS s JOIN source_files AS f ON f.id = s.file_id
WHERE s.owner || '.' || s.name = :name AND s.how IN ('stub', 'class', 'value')
  AND NOT EXISTS (SELECT 1 FROM bindings AS b WHERE b.python_name = :name)
  AND NOT EXISTS (SELECT 1 FROM python_natives AS n WHERE n.name = :name)
LIMIT 12

-- name: cpp_class
-- Where does a C++ class stand, and which of its functions are called most?
SELECT * FROM (
    SELECT 'class ' || c.name AS text, f.path, c.line
    FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id
    WHERE c.name = :name ORDER BY f.kind IN ('generated', 'external'), c.id LIMIT 6)
UNION ALL
SELECT * FROM (
    SELECT m.name || ' (' || m.callers || CASE m.callers WHEN 1 THEN ' caller)' ELSE ' callers)' END, f.path, m.line
    FROM (SELECT u.name, min(u.id) AS id, u.file_id, u.line, count(DISTINCT c.caller_id) AS callers
          FROM functions AS u LEFT JOIN calls AS c ON c.callee_id = u.id AND c.caller_id <> u.id
          WHERE u.name >= :name || '::' AND u.name < :name || ':;' AND u.kind <> 'stub'
          GROUP BY u.name) AS m
    JOIN source_files AS f ON f.id = m.file_id
    ORDER BY m.callers DESC, m.id LIMIT 12)

-- name: gpu_kernel
-- Where does a GPU kernel stand that is no C++ function?
SELECT k.name || ' (' || k.platform || ')' AS text, f.path, k.line
FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id
WHERE k.name = :name OR k.function = :name ORDER BY k.id LIMIT 12

-- name: gpu_library
-- Where is a library's function called that launches GPU kernels?
SELECT DISTINCT CASE WHEN l.launcher = '' THEN 'called' ELSE 'called by ' || l.launcher END AS text, f.path, l.line
FROM launches AS l JOIN source_files AS f ON f.id = l.file_id
WHERE l.kernel IN (:name, '::' || :name) AND l.kind = 'library' ORDER BY f.path, l.line LIMIT 12
