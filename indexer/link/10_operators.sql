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
