-- name: namespaces
-- Which namespaces do operators live in? From one to the next by the index of the full names: `;` comes
-- behind `:`, so that a look for `aten:;` passes over all of aten's.
WITH RECURSIVE first (name) AS (
    SELECT min(name) FROM operators
    UNION
    SELECT (SELECT min(o.name) FROM operators AS o WHERE o.name >= substr(f.name, 1, instr(f.name, '::')) || ';')
    FROM first AS f WHERE f.name IS NOT NULL
)
SELECT substr(name, 1, instr(name, '::') - 1) AS namespace FROM first WHERE name IS NOT NULL

-- name: operator
-- The overloads of one name: of a namespace or of any, one overload or all.
SELECT name, namespace, base, overload FROM operators
WHERE base = :base
  AND (:namespace IS NULL OR namespace = :namespace)
  AND (:overload IS NULL OR overload = :overload)
ORDER BY namespace <> 'aten', namespace, id

-- name: operator_any_case
-- The same, but whatever the case.
SELECT DISTINCT namespace, base FROM operators
WHERE base = :base COLLATE NOCASE AND base <> :base
ORDER BY namespace <> 'aten', namespace, base LIMIT 20

-- name: api
-- Which overloads does a public Python name reach directly?
SELECT DISTINCT operator AS name FROM v_python_api
WHERE api = :api AND operator IS NOT NULL ORDER BY operator

-- name: api_known
-- Is this a public Python name, even if it ends at no operator?
SELECT file, line, via FROM v_python_api WHERE api = :api LIMIT 1

-- name: binding
-- Which overloads are bound under this module and base name by the generator's own rules?
-- python_module and variants: tools/autograd/gen_python_functions.py.
SELECT name, namespace, base, overload FROM operators
WHERE base = :base
  AND CASE :module
      WHEN 'Tensor' THEN variants LIKE '%method%'
      WHEN '' THEN variants LIKE '%function%' AND python_module IS NULL
      ELSE python_module = :module END
ORDER BY id

-- name: bound
-- Is this the Python name of something that C++ binds?
SELECT cpp_name FROM bindings WHERE python_name = :name LIMIT 1

-- name: kernel
-- Which operators have this kernel, by its qualified name?
SELECT DISTINCT o.name, d.kernel FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
WHERE d.kernel = :kernel ORDER BY o.id

-- name: ending
-- Which names of a kind are this one, or end in it?
SELECT name FROM names
WHERE last = :last COLLATE NOCASE AND kind = :kind
  AND (name = :name OR substr(name, -length(:name) - 2) = '::' || :name)
-- Their own spelling first: last is compared in any case.
ORDER BY name LIMIT 50

-- name: ending_function
-- The same of C++ functions, which are not among the names.
SELECT DISTINCT name FROM functions
WHERE last = :last COLLATE NOCASE
  AND (name = :name OR substr(name, -length(:name) - 2) = '::' || :name)
ORDER BY name LIMIT 50

-- name: same_beginning
-- C++ functions whose last component begins alike; they are not in the trigram index.
SELECT DISTINCT name, 'function' AS kind FROM functions
WHERE last >= :beginning COLLATE NOCASE AND last < :beginning || 'zzzz' COLLATE NOCASE
ORDER BY last COLLATE NOCASE, name LIMIT 300

-- name: similar
-- Names that share groups of three letters with the one asked for.
SELECT n.name, n.kind FROM names_trigrams AS t
JOIN names AS n ON n.id = t.rowid
WHERE names_trigrams MATCH :match AND (:kind = '' OR n.kind = :kind)
ORDER BY t.rank LIMIT 100
