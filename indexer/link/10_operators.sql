-- Which generated overloads does this tree's generator make?
-- Rule: torchgen/native_function_generation.py, add_generated_native_functions. Of functions whose
-- variants are all CompositeImplicitAutograd it makes none; newer versions do for those tagged
-- `core`. The YAML's reader keeps these, as it sees no other file.
CREATE TEMP TABLE not_generated AS
SELECT made.id, made.name, made.line, made.file_id
FROM operators AS made
JOIN operators AS source ON source.name = made.generated_from
WHERE made.origin = 'autogen'
  AND NOT EXISTS (
    SELECT 1
    FROM operators AS variant
    LEFT JOIN dispatch AS d
      ON d.operator_id = variant.id AND d.dispatch_key = 'CompositeImplicitAutograd'
    WHERE variant.signature = source.signature AND variant.namespace = source.namespace
      AND variant.origin = 'yaml' AND d.id IS NULL
      AND (variant.dispatch_written OR variant.structured OR variant.structured_delegate IS NOT NULL)
  )
  AND NOT EXISTS (
    SELECT 1
    FROM operators AS variant
    JOIN operator_tags AS t ON t.operator_id = variant.id
    JOIN torchgen_rules AS r ON r.name = 'composite_with_tag' AND r.value = t.tag
    WHERE variant.signature = source.signature AND variant.namespace = source.namespace
      AND variant.origin = 'yaml'
  );

DELETE FROM arguments WHERE operator_id IN (SELECT id FROM not_generated);
DELETE FROM returns WHERE operator_id IN (SELECT id FROM not_generated);
DELETE FROM dispatch WHERE operator_id IN (SELECT id FROM not_generated);
DELETE FROM operators WHERE id IN (SELECT id FROM not_generated);

INSERT INTO coverage (layer, file, status, detail)
SELECT 'operators', f.path, 'ok',
       'line ' || n.line || ': the generator makes no ' || substr(n.name, instr(n.name, '::') + 2)
       || ': its variants are CompositeImplicitAutograd'
FROM not_generated AS n
JOIN source_files AS f ON f.id = n.file_id
ORDER BY n.id;

DROP TABLE not_generated;

-- Which tags does each operator carry, beside those written in its entry?
-- Rules: torchgen/model.py, NativeFunction.from_yaml, and
-- torchgen/native_function_generation.py, generate_function. A tag that the tree's tags.yaml
-- does not know is not given by the generator either.

-- Every operator of aten complies with PT2.
INSERT OR IGNORE INTO operator_tags
SELECT o.id, t.name
FROM operators AS o JOIN tags AS t ON t.name = 'pt2_compliant_tag'
WHERE o.origin = 'yaml' AND o.namespace = 'aten';

-- Out and in-place variants are marked as such in newer versions.
INSERT OR IGNORE INTO operator_tags
SELECT o.id, t.name
FROM operators AS o JOIN tags AS t ON t.name = o.kind
WHERE o.kind IN ('out', 'inplace');

-- A generated overload says that it is, and inherits some tags of the one it is made from.
INSERT OR IGNORE INTO operator_tags
SELECT o.id, 'generated' FROM operators AS o WHERE o.origin = 'autogen';

INSERT OR IGNORE INTO operator_tags
SELECT o.id, t.tag
FROM operators AS o
JOIN operators AS source ON source.name = o.generated_from
JOIN operator_tags AS t ON t.operator_id = source.id
JOIN torchgen_rules AS r ON r.name = 'inherited_tag' AND r.value = t.tag
WHERE o.origin = 'autogen';
