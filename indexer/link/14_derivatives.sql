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
-- operators do not. An out variant is never differentiable (head of derivatives.yaml), although
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
