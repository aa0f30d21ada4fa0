-- name: keys
-- Which dispatch keys are there, and how is this one spelled?
SELECT name, operators FROM dispatch_keys ORDER BY operators DESC, name

-- name: namespaces
-- Which namespaces have operators, but aten?
SELECT DISTINCT namespace FROM operators WHERE namespace <> 'aten' ORDER BY namespace

-- name: search
-- Operators that fit a text, one row each, the best reason first.
WITH fits (operator, tier, score) AS (
    SELECT name, 0, 0.0 FROM names
    WHERE kind = 'operator' AND last = :base COLLATE NOCASE
    UNION ALL
    SELECT n.name, 1, w.rank
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :words AND n.kind = 'operator'
    UNION ALL
    SELECT n.name, 2, w.rank
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :beginnings AND n.kind = 'operator'
    UNION ALL
    SELECT n.name, 3, t.rank
    FROM names_trigrams AS t JOIN names AS n ON n.id = t.rowid
    WHERE names_trigrams MATCH :part AND n.kind = 'operator'
    UNION ALL
    SELECT o.namespace || '::' || o.base, 4, w.rank
    FROM names_words AS w
    JOIN names AS n ON n.id = w.rowid AND n.kind = 'kernel'
    JOIN dispatch AS d ON d.kernel = n.name
    JOIN operators AS o ON o.id = d.operator_id
    WHERE names_words MATCH :words
    UNION ALL
    -- Some words are those of a namespace, the others those of its operators.
    SELECT n.name, 1, w.rank
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :rest AND n.kind = 'operator'
      AND substr(n.name, 1, instr(n.name, '::') - 1) IN (SELECT value FROM json_each(:within))
    UNION ALL
    SELECT n.name, 2, w.rank
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :rest_beginnings AND n.kind = 'operator'
      AND substr(n.name, 1, instr(n.name, '::') - 1) IN (SELECT value FROM json_each(:within))
),
best (operator, tier, score) AS (
    SELECT operator, min(tier), min(score) FROM fits GROUP BY operator
),
packets (operator, tier, score, namespace, base) AS (
    SELECT b.operator, b.tier, b.score,
           substr(b.operator, 1, instr(b.operator, '::') - 1),
           substr(b.operator, instr(b.operator, '::') + 2)
    FROM best AS b
)
SELECT p.operator, p.namespace, p.base, p.tier
FROM packets AS p
WHERE :backend = '' OR EXISTS (
    SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
    WHERE o.base = p.base AND o.namespace = p.namespace AND d.dispatch_key = :backend)
ORDER BY p.tier, p.namespace <> 'aten', round(p.score, 1), length(p.base), p.operator

-- name: packet
-- One operator, or one overload: its overloads, where the first stands, its keys and its kernels for a backend.
SELECT
    count(DISTINCT o.id) AS overloads,
    -- SQLite takes bare columns from the row that has the minimum.
    min(o.id),
    (SELECT path FROM source_files WHERE id = o.file_id) AS path,
    o.line,
    group_concat(DISTINCT d.dispatch_key) AS keys,
    group_concat(DISTINCT CASE WHEN d.dispatch_key = :backend THEN d.kernel END) AS kernels
FROM operators AS o
LEFT JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = :namespace AND o.base = :base AND (:overload IS NULL OR o.overload = :overload)

-- name: exact
-- The operator of exactly this name, whatever it dispatches to.
SELECT o.namespace || '::' || o.base AS operator, d.dispatch_key, d.kernel,
       o.structured_delegate IS NOT NULL AND d.generated_by IS NOT NULL AS is_structured
FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.base = :base COLLATE NOCASE
ORDER BY o.namespace <> 'aten', o.id, d.id LIMIT 50

-- name: others
-- What is no operator and fits a text, one row for each name and kind, the best reason first.
WITH fits (name, kind, tier, score, last) AS (
    SELECT name, kind, 0, 0.0, last FROM names
    WHERE last = :base COLLATE NOCASE AND kind <> 'operator'
    UNION ALL
    SELECT n.name, n.kind, 1, w.rank, n.last
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :words AND n.kind <> 'operator'
    UNION ALL
    SELECT n.name, n.kind, 2, w.rank, n.last
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :beginnings AND n.kind <> 'operator'
    UNION ALL
    SELECT n.name, n.kind, 3, t.rank, n.last
    FROM names_trigrams AS t JOIN names AS n ON n.id = t.rowid
    WHERE names_trigrams MATCH :part AND n.kind <> 'operator'
    UNION ALL
    -- C++ functions are found by their last component alone, and Python's by their name in their module.
    SELECT f.name, 'function', CASE WHEN f.last = :begin COLLATE NOCASE THEN 0 ELSE 2 END, 0.0, f.last
    FROM functions AS f
    WHERE f.last >= :begin COLLATE NOCASE AND f.last < :beyond COLLATE NOCASE
      -- What has a kind of its own is a function, too, for who asks for these alone.
      AND (:kind = 'function' OR NOT EXISTS (
          SELECT 1 FROM names AS n WHERE n.name = f.name AND n.kind IN ('kernel', 'cuda', 'backward')))
    UNION ALL
    SELECT m.name || '.' || p.name, 'python', 0, 0.0, p.name
    FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
    WHERE p.name = :base
      AND (:kind = 'python' OR NOT EXISTS (
          SELECT 1 FROM names AS n WHERE n.name = m.name || '.' || p.name AND n.kind = 'api'))
)
SELECT name, kind, min(tier) AS tier
FROM fits
WHERE (:kind = '' OR kind = :kind)
  -- A class is shown by the name that users import it by.
  AND NOT (kind = 'class' AND EXISTS (
      SELECT 1 FROM python_classes AS c WHERE c.name = fits.name AND c.public_name <> c.name))
GROUP BY name, kind
ORDER BY min(tier) > 0,
         -- What begins with several words as they are written (aoti_torch_cpu) before what has them anywhere.
         :literal = '' OR substr(max(last), 1, length(:literal)) <> :literal COLLATE NOCASE,
         min(tier),
         -- The whole of what was asked for before its last part alone.
         NOT (name = :text OR substr(name, -length(:text) - 2) = '::' || :text
              OR substr(name, -length(:text) - 1) = '.' || :text),
         CASE kind WHEN 'class' THEN 0 WHEN 'api' THEN 1 WHEN 'kernel' THEN 2 WHEN 'stub' THEN 3
                   WHEN 'cuda' THEN 4 WHEN 'metal' THEN 5 WHEN 'backward' THEN 6
                   WHEN 'function' THEN 7 WHEN 'binding' THEN 8 WHEN 'vulkan' THEN 10 ELSE 9 END,
         round(min(score), 1), length(name), name

-- name: place_of_kernel
-- Where does a name of this kind stand first, and in how many places?
SELECT s.path, f.line, count(*) OVER () AS places
FROM functions AS f JOIN source_files AS s ON s.id = f.file_id
WHERE f.name = :name ORDER BY s.kind IN ('generated', 'external'), f.id LIMIT 1

-- name: unwritten
-- Where does Python define a kernel that no C++ file has, or what generates it?
SELECT f.path, r.kernel_line AS line, 1 AS places, d.generated_by
FROM dispatch AS d
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
LEFT JOIN registrations AS r ON r.id = l.registration_id
LEFT JOIN source_files AS f ON f.id = r.kernel_file_id
WHERE d.kernel = :name AND (d.generated_by IS NOT NULL OR r.kernel_line IS NOT NULL)
ORDER BY r.kernel_line IS NULL, d.id LIMIT 1

-- name: place_of_backward
-- As indexer/link/edges.sql reads formulas: the function of FunctionsManual.cpp, or else the operator.
SELECT path, line, count(*) OVER () AS places
FROM (SELECT 0 AS later, s.path, f.line, f.id
      FROM functions AS f JOIN source_files AS s ON s.id = f.file_id
      WHERE f.name = 'torch::autograd::generated::details::' || :name
      UNION ALL
      SELECT 1, s.path, o.line, o.id
      FROM operators AS o JOIN source_files AS s ON s.id = o.file_id
      WHERE o.base = CASE WHEN :name LIKE '%\_symint' ESCAPE '\' THEN substr(:name, 1, length(:name) - 7) ELSE :name END
        AND o.namespace = 'aten' AND o.origin = 'yaml' AND o.kind NOT IN ('out', 'scratch')
        AND instr(coalesce(o.variants, 'function'), 'function')
        AND NOT EXISTS (SELECT 1 FROM functions WHERE name = 'torch::autograd::generated::details::' || :name))
ORDER BY later, id LIMIT 1

-- name: place_of_stub
SELECT s.path, d.line, 1 AS places
FROM stub_declarations AS d JOIN source_files AS s ON s.id = d.file_id
WHERE d.name = :name ORDER BY d.kind = 'define', d.id LIMIT 1

-- name: place_of_metal
SELECT s.path, k.line, count(*) OVER () AS places
FROM kernels AS k JOIN source_files AS s ON s.id = k.file_id
WHERE k.name = :name AND k.platform = 'metal' ORDER BY NOT k.is_definition, k.id LIMIT 1

-- name: place_of_vulkan
SELECT s.path, k.line, count(*) OVER () AS places
FROM kernels AS k JOIN source_files AS s ON s.id = k.file_id
WHERE k.name = :name AND k.platform = 'vulkan' ORDER BY NOT k.is_definition, k.id LIMIT 1

-- name: place_of_class
SELECT s.path, c.line, 1 AS places
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS s ON s.id = m.file_id
WHERE c.name = :name OR c.public_name = :name ORDER BY c.id LIMIT 1

-- name: place_of_api
-- A function of Python stands where it is defined; its rows have the calls that end at operators.
SELECT s.path, coalesce(p.line, a.line) AS line, 1 AS places
FROM python_apis AS a
LEFT JOIN python_functions AS p ON p.id = a.function_id
LEFT JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN source_files AS s ON s.id = coalesce(m.file_id, a.file_id)
WHERE a.api = :name ORDER BY s.path IS NULL, a.id LIMIT 1

-- name: place_of_binding
SELECT s.path, b.line, count(*) OVER () AS places
FROM bindings AS b JOIN source_files AS s ON s.id = b.file_id
WHERE b.python_name = :name ORDER BY b.id LIMIT 1

-- name: place_of_python
SELECT s.path, max(p.line, 1) AS line, count(*) OVER () AS places
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS s ON s.id = m.file_id
WHERE p.name = :base AND m.name || '.' || p.name = :name ORDER BY p.id LIMIT 1
