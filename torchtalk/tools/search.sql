-- name: keys
-- Which dispatch keys are there, and how is this one spelled?
SELECT name, operators FROM dispatch_keys ORDER BY operators DESC, name

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
-- One operator: its overloads, where the first stands, its keys and its kernels for a backend.
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
WHERE o.namespace = :namespace AND o.base = :base

-- name: exact
-- The operator of exactly this name, whatever it dispatches to.
SELECT o.namespace || '::' || o.base AS operator, d.dispatch_key, d.kernel
FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.base = :base COLLATE NOCASE
ORDER BY o.namespace <> 'aten', o.id, d.id LIMIT 50
