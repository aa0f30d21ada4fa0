-- By whose formulas is each operator differentiated?
-- Rules: torchgen/api/autograd.py, match_differentiability_info (exact, then the functional
-- variant, then for a generated one the mutable variant), and
-- tools/autograd/load_derivatives.py, add_view_copy_derivatives.

UPDATE derivative_entries SET operator_id =
    (SELECT o.id FROM operators AS o WHERE o.name = derivative_entries.operator);
UPDATE derivatives SET operator_id =
    (SELECT o.id FROM operators AS o WHERE o.name = derivatives.operator);

INSERT INTO coverage (layer, file, status, detail)
SELECT 'operators', f.path, 'partial',
       'line ' || e.line || ': formula for an operator that native_functions.yaml lacks: '
       || e.operator
FROM derivative_entries AS e
JOIN source_files AS f ON f.id = e.file_id
WHERE e.operator_id IS NULL
ORDER BY e.line;

INSERT INTO derivative_uses (operator_id, entry, how)
SELECT operator_id, operator, 'exact'
FROM derivative_entries WHERE operator_id IS NOT NULL
ORDER BY operator_id;

-- A {view}_copy operator has the formulas of its view.
INSERT OR IGNORE INTO derivative_uses (operator_id, entry, how)
SELECT copy.id, e.operator, 'view_copy'
FROM derivative_entries AS e
JOIN operators AS v ON v.id = e.operator_id
JOIN operators AS copy
    ON copy.namespace = v.namespace AND copy.base = v.base || '_copy'
   AND copy.overload = v.overload AND copy.kind = 'functional'
WHERE EXISTS (SELECT 1 FROM operator_tags AS t
              WHERE t.operator_id = copy.id AND t.tag = 'view_copy')
ORDER BY copy.id;

-- In-place and mutable variants without formulas of their own use the functional one's; foreach
-- operators do not (below). An out variant is never differentiable (head of derivatives.yaml), although
-- the generator looks its formulas up.
INSERT OR IGNORE INTO derivative_uses (operator_id, entry, how)
SELECT o.id, e.operator, 'functional'
FROM derivative_entries AS e
JOIN operators AS source ON source.id = e.operator_id AND source.kind = 'functional'
JOIN operators AS o ON o.signature = source.signature AND o.id <> source.id
WHERE o.kind <> 'out'
  AND o.base NOT LIKE '\_foreach\_%' ESCAPE '\'
ORDER BY o.id;

INSERT OR IGNORE INTO derivative_uses (operator_id, entry, how)
SELECT o.id, e.operator, 'mutable'
FROM derivative_entries AS e
JOIN operators AS source ON source.id = e.operator_id AND source.kind <> 'functional'
JOIN operators AS o ON o.signature = source.signature AND o.id <> source.id
WHERE o.origin = 'autogen' AND o.kind = 'functional'
ORDER BY o.id;

-- A foreach operator without formulas of its own has those of the functional operator that it is named after and takes
-- lists for (is_reference_for_foreach and gen_foreach_derivativeinfo, torchgen/api/autograd.py): of those with as many
-- arguments, of the same types or of the elements', the first in derivatives.yaml. A few named in a set may have fewer
-- arguments, others be named after an operator that has no functional variant there (`zero_`).
CREATE TEMP TABLE foreach_wanting AS
SELECT o.id, o.kind, o.namespace, substr(o.name, instr(o.name, '::') + 2) AS name,
       rtrim(substr(o.base, length(r.value) + 1), CASE o.kind WHEN 'inplace' THEN '_' ELSE '' END) AS base,
       (SELECT count(*) FROM arguments AS a WHERE a.operator_id = o.id AND NOT a.is_out) AS arguments
FROM torchgen_rules AS r
JOIN operators AS o ON substr(o.base, 1, length(r.value)) = r.value AND o.kind <> 'out'
WHERE r.name = 'foreach_formulas' AND NOT EXISTS (SELECT 1 FROM derivative_uses AS u WHERE u.operator_id = o.id);

INSERT INTO derivative_uses (operator_id, entry, how)
SELECT id, operator, how
FROM (
    SELECT w.id, e.operator, CASE s.kind WHEN 'functional' THEN 'functional' ELSE 'mutable' END AS how,
           row_number() OVER (PARTITION BY w.id ORDER BY s.kind <> 'functional', e.line) AS position
    FROM temp.foreach_wanting AS w
    JOIN operators AS s
      ON s.namespace = w.namespace AND s.base = w.base || CASE s.kind WHEN 'inplace' THEN '_' ELSE '' END
    JOIN derivative_entries AS e ON e.operator_id = s.id
    WHERE (s.kind = 'functional'
           OR s.kind = 'inplace' AND w.kind = 'inplace'
              AND w.name IN (SELECT value FROM torchgen_rules WHERE name = 'foreach_in_place'))
      AND (w.arguments = (SELECT count(*) FROM arguments AS a WHERE a.operator_id = s.id AND NOT a.is_out)
           OR w.name IN (SELECT value FROM torchgen_rules WHERE name = 'foreach_shorter'))
      AND NOT EXISTS (
          SELECT 1
          FROM arguments AS a
          JOIN arguments AS x ON x.operator_id = s.id AND x.position = a.position
          WHERE a.operator_id = w.id
            AND x.type NOT IN (a.type, CASE WHEN a.type LIKE '%?' THEN substr(a.type, 1, length(a.type) - 1)
                                            WHEN a.type LIKE '%]' THEN rtrim(rtrim(a.type, ']0123456789'), '[')
                                            ELSE a.type END))
      AND EXISTS (SELECT 1 FROM derivatives AS d WHERE d.operator = e.operator AND d.dispatch_key = 'Default')
)
WHERE position = 1
ORDER BY id;

DROP TABLE temp.foreach_wanting;
