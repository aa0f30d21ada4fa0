-- name: upwards
-- What depends on these nodes, with how many calls away it is at least? A registration is no distance.
WITH RECURSIVE up (node, depth) AS (
    SELECT value, 0 FROM json_each(:seeds)
    UNION
    SELECT c.caller_id * 16, up.depth + 1
    FROM up CROSS JOIN calls AS c ON c.callee_id = up.node >> 4
    -- Without the hint SQLite builds a Bloom filter over all calls for a handful of rows.
    WHERE unlikely(up.depth < :depth) AND up.node & 15 = 0
      AND NOT :codes >> c.code & 1
      AND (:boilerplate OR c.caller_id NOT IN (SELECT function_id FROM boilerplate_functions))
      AND (:ambiguous OR c.code & 7 <> 4 /* candidate */ OR NOT EXISTS (
          SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id)) /* foreign callers */
    UNION
    SELECT e.source, up.depth + e.steps
    FROM up CROSS JOIN edges AS e ON e.target = up.node
    WHERE unlikely(up.depth <= :depth) AND up.depth + e.steps <= :depth
      AND e.kind_id NOT IN (SELECT value FROM json_each(:edges)) /* foreign */
)
SELECT node, min(depth) FROM up GROUP BY node

-- name: kernel_keys
-- For which keys of which operators are some functions the kernels?
SELECT d.operator_id * 16 + 1, k.function_id * 16, d.dispatch_key
FROM json_each(:ids) AS w
CROSS JOIN dispatch_kernels AS k ON k.function_id = w.value
CROSS JOIN dispatch AS d ON d.id = k.dispatch_id
UNION ALL
SELECT x.operator_id * 16 + 1, x.function_id * 16, x.dispatch_key
FROM json_each(:ids) AS w
CROSS JOIN operator_functions AS x ON x.function_id = w.value AND x.role = 'generated'
UNION ALL
SELECT e.source, e.target, substr(r.value, 1, instr(r.value, ' ') - 1)
FROM json_each(:ids) AS w
CROSS JOIN torchgen_rules AS r ON r.name = 'backend'
CROSS JOIN edges AS e ON e.target = w.value * 16 AND e.source & 15 = 1 AND e.file_id = r.file_id

-- name: stub_devices
-- For which devices are which functions registered with some stubs?
SELECT d.id * 16 + 2 AS node, r.function_id, r.backend
FROM json_each(:ids) AS w
JOIN stub_declarations AS d ON d.id = w.value
JOIN stub_registrations AS r ON r.stub = d.name
WHERE r.function_id IS NOT NULL AND r.kernel <> 'nullptr'

-- name: stub_calls
-- Who calls some stubs, for which device as far as it is written?
SELECT d.id * 16 + 2 AS node, s.function_id, s.device
FROM json_each(:ids) AS w
JOIN stub_declarations AS d ON d.id = w.value
JOIN stub_callers AS s ON s.stub = d.name
WHERE s.function_id IS NOT NULL

-- name: next_callers
-- The C++ functions that call some. For walks so deep that `upwards` would see each node at many depths. Rows come as
-- they are found: who asks has a set of what was seen, and another one of SQLite's would take as long as finding them.
SELECT c.caller_id * 16
FROM json_each(:nodes) AS w CROSS JOIN calls AS c ON c.callee_id = w.value >> 4
WHERE w.value & 15 = 0 AND NOT :codes >> c.code & 1
  AND (:ambiguous OR c.code & 7 <> 4 /* candidate */ OR NOT EXISTS (
      SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id)) /* foreign callers */

-- name: next_sources
-- What depends on some nodes by another edge, and is that a call, or (0) a registration?
SELECT e.source, e.steps
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.target = w.value
WHERE e.kind_id NOT IN (SELECT value FROM json_each(:edges)) /* foreign */

-- name: next_in_python
-- The same of Python functions and classes alone.
SELECT e.source, e.steps
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.target = w.value
WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind IN ('python', 'method'))

-- name: followed
-- What does a node use by an edge that a walk follows, and is that a call away (1) or only registered (0)?
SELECT c.callee_id * 16, 1
FROM calls AS c
WHERE c.caller_id = :node >> 4 AND :node & 15 = 0 AND NOT :codes >> c.code & 1
  AND (:boilerplate OR c.caller_id NOT IN (SELECT function_id FROM boilerplate_functions))
  AND (:ambiguous OR c.code & 7 <> 4 /* candidate */ OR NOT EXISTS (
      SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
UNION ALL
SELECT e.target, e.steps FROM edges AS e
WHERE e.source = :node AND e.kind_id NOT IN (SELECT value FROM json_each(:edges))

-- name: next_used
-- The same of some nodes, whose edges are told apart by where they begin.
SELECT w.value AS source, c.callee_id * 16 AS target, 1 AS steps, 1 AS is_call
FROM json_each(:nodes) AS w CROSS JOIN calls AS c ON c.caller_id = w.value >> 4
WHERE w.value & 15 = 0 AND NOT :codes >> c.code & 1
  AND (:boilerplate OR c.caller_id NOT IN (SELECT function_id FROM boilerplate_functions))
  AND (:ambiguous OR c.code & 7 <> 4 /* candidate */ OR NOT EXISTS (
      SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
UNION ALL
SELECT w.value, e.target, e.steps, 0
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.source = w.value
WHERE e.kind_id NOT IN (SELECT value FROM json_each(:edges))

-- name: hubs
-- Which of some functions have more overrides than so many?
SELECT e.source FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.source = w.value
WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')
GROUP BY e.source HAVING count(DISTINCT e.target) > :most

-- name: boilerplate
-- Which of some C++ functions say nothing about who calls them?
SELECT b.function_id * 16
FROM json_each(:nodes) AS w CROSS JOIN boilerplate_functions AS b ON b.function_id = w.value >> 4

-- name: uses
-- What do some nodes use: the functions they call and the edges from them?
SELECT w.key AS position, c.callee_id * 16 AS node, c.kind, c.origin, u.file_id, c.line, 1 AS steps,
       c.kind = 'candidate' AND EXISTS (
           SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id) AS ambiguous,
       (SELECT b.what FROM boilerplate_functions AS b WHERE b.function_id = c.callee_id) AS boilerplate
FROM json_each(:nodes) AS w
CROSS JOIN calls AS c ON c.caller_id = w.value >> 4
CROSS JOIN functions AS u ON u.id = c.caller_id
WHERE w.value & 15 = 0 AND c.kind <> 'stub'
UNION ALL
SELECT w.key, e.target, k.kind, k.origin, e.file_id, e.line, e.steps, 0, NULL
FROM json_each(:nodes) AS w
CROSS JOIN edges AS e ON e.source = w.value
CROSS JOIN edge_kinds AS k ON k.id = e.kind_id

-- name: used
-- What does a node use, and is that a call away (1) or only registered (0)? Few of it lie on a path.
SELECT c.callee_id * 16 AS node, 1 AS steps FROM calls AS c WHERE c.caller_id = :node >> 4 AND :node & 15 = 0
UNION ALL
SELECT e.target, e.steps FROM edges AS e WHERE e.source = :node

-- name: uses_of
-- How does a node use some others?
SELECT w.value AS node, c.kind, c.origin, u.file_id, c.line, 1 AS steps,
       c.kind = 'candidate' AND EXISTS (
           SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id) AS ambiguous
FROM json_each(:targets) AS w
CROSS JOIN calls AS c ON c.caller_id = :node >> 4 AND c.callee_id = w.value >> 4 AND w.value & 15 = 0
CROSS JOIN functions AS u ON u.id = c.caller_id
WHERE :node & 15 = 0 AND c.kind <> 'stub'
UNION ALL
SELECT e.target, k.kind, k.origin, e.file_id, e.line, e.steps, 0
FROM json_each(:targets) AS w
CROSS JOIN edges AS e ON e.target = w.value AND e.source = :node
CROSS JOIN edge_kinds AS k ON k.id = e.kind_id

-- name: users
-- What uses some nodes: the functions that call them and the edges to them?
SELECT w.key AS position, c.caller_id * 16 AS node, c.kind, c.origin, u.file_id, c.line, 1 AS steps,
       c.kind = 'candidate' AND EXISTS (
           SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id) AS ambiguous,
       (SELECT b.what FROM boilerplate_functions AS b WHERE b.function_id = c.caller_id) AS boilerplate
FROM json_each(:nodes) AS w
CROSS JOIN calls AS c ON c.callee_id = w.value >> 4
CROSS JOIN functions AS u ON u.id = c.caller_id
WHERE w.value & 15 = 0 AND c.kind <> 'stub'
UNION ALL
SELECT w.key, e.source, k.kind, k.origin, e.file_id, e.line, e.steps, 0, NULL
FROM json_each(:nodes) AS w
CROSS JOIN edges AS e ON e.target = w.value
CROSS JOIN edge_kinds AS k ON k.id = e.kind_id

-- name: functions
SELECT u.id, u.name, u.signature AS detail, f.path, u.line
FROM json_each(:ids) AS w JOIN functions AS u ON u.id = w.value JOIN source_files AS f ON f.id = u.file_id

-- name: operators
SELECT o.id, o.name, o.schema AS detail, f.path, o.line
FROM json_each(:ids) AS w JOIN operators AS o ON o.id = w.value LEFT JOIN source_files AS f ON f.id = o.file_id

-- name: stubs
SELECT d.id, d.name, d.type AS detail, f.path, d.line
FROM json_each(:ids) AS w JOIN stub_declarations AS d ON d.id = w.value JOIN source_files AS f ON f.id = d.file_id

-- name: kernels
SELECT k.id, k.name, k.platform AS detail, f.path, k.line
FROM json_each(:ids) AS w JOIN kernels AS k ON k.id = w.value JOIN source_files AS f ON f.id = k.file_id

-- name: python_functions
-- A module stands on no line of its own.
SELECT p.id, m.name || '.' || p.name AS name, p.signature AS detail, f.path, max(p.line, 1) AS line
FROM json_each(:ids) AS w JOIN python_functions AS p ON p.id = w.value
JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS f ON f.id = m.file_id

-- name: python_classes
SELECT c.id, coalesce(c.public_name, c.name) AS name, c.category AS detail, f.path, c.line
FROM json_each(:ids) AS w JOIN python_classes AS c ON c.id = w.value
JOIN python_modules AS m ON m.id = c.module_id JOIN source_files AS f ON f.id = m.file_id

-- name: natives
-- What Python finds in C++: where it is written or bound, what the generator fills in for it, or its operator's entry.
SELECT n.id, n.name, n.how AS detail, f.path, coalesce(n.line, b.line, o.line) AS line
FROM json_each(:ids) AS w JOIN python_natives AS n ON n.id = w.value
LEFT JOIN bindings AS b ON b.id = CASE WHEN n.how IN ('bound', 'generated') THEN (
    SELECT min(id) FROM bindings
    WHERE python_name IN (n.name, replace(n.name, 'torch._C.TensorBase.', 'torch._C._TensorBase.'))
      AND (form = 'generated') = (n.how = 'generated')) END
LEFT JOIN operators AS o ON o.id = CASE n.how WHEN 'ops' THEN (
    SELECT min(operator_id) FROM python_native_operators WHERE native_id = n.id) END
LEFT JOIN source_files AS f ON f.id = coalesce(n.file_id, b.file_id, o.file_id)

-- name: bindings
SELECT b.id, coalesce(b.python_name, b.name) AS name, b.form AS detail, f.path, b.line
FROM json_each(:ids) AS w JOIN bindings AS b ON b.id = w.value JOIN source_files AS f ON f.id = b.file_id

-- name: edge_kinds
SELECT id, kind, origin FROM edge_kinds ORDER BY id

-- name: paths
SELECT f.id, f.path FROM json_each(:ids) AS w JOIN source_files AS f ON f.id = w.value

-- name: functions_named
-- Every definition of a C++ name.
SELECT id FROM functions WHERE name = :name AND kind <> 'stub' ORDER BY id

-- name: functions_called
-- The heads of all functions of C++ with a name, whatever they stand in.
SELECT id, name, signature FROM functions WHERE last = :last COLLATE NOCASE AND last = :last ORDER BY id

-- name: signatures
-- The heads of functions.
SELECT id, signature FROM functions WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id

-- name: macro
-- Where is a macro of a name defined?
SELECT f.id, f.path, m.line
FROM macro_definitions AS m JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :name ORDER BY f.path LIKE '%third_party%', length(f.path), f.path, m.line

-- name: constructors
-- Which constructors do the classes of some destructors have that nothing is seen to call?
SELECT d.id AS destructor, k.id, k.name FROM json_each(:ids) AS n JOIN functions AS d ON d.id = n.value
JOIN functions AS k ON k.name = substr(d.name, 1, length(d.name) - length(d.last)) || substr(d.last, 2)
WHERE d.kind = 'destructor' AND k.kind = 'constructor'
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = d.id) ORDER BY k.id

-- name: functions_by_hand
-- The same without those that the generator makes of operators.
SELECT id FROM functions
WHERE name = :name AND kind <> 'stub' AND id NOT IN (SELECT function_id FROM boilerplate_functions) ORDER BY id

-- name: members
-- The functions of a C++ class and of what is declared in it: between `X::` and what comes behind every such name.
SELECT id FROM functions WHERE name >= :name || '::' AND name < :beyond AND kind <> 'stub' ORDER BY id

-- name: bases
-- What does a C++ class derive from, as written?
SELECT DISTINCT b.base FROM cpp_classes AS c JOIN cpp_bases AS b ON b.class_id = c.id
WHERE c.name = :name ORDER BY c.id, b.position LIMIT 12

-- name: operators_named
SELECT o.id FROM json_each(:names) AS w JOIN operators AS o ON o.name = w.value ORDER BY o.id

-- name: stub_named
SELECT min(id) AS id FROM stub_declarations WHERE name = :name HAVING min(id) IS NOT NULL

-- name: kernels_named
-- GPU kernels that are no C++ functions: Metal's, and those in strings.
SELECT id FROM kernels WHERE name = :name OR function = :name ORDER BY id

-- name: bound_named
-- What C++ gives to Python under this name: what Python uses, else every binding that leads to a function, else one.
-- A tensor's base is TensorBase and _TensorBase (torch/csrc/autograd/python_variable.cpp); uses stand under the first.
WITH known (id) AS (
    SELECT id FROM python_natives WHERE name = replace(:name, 'torch._C._TensorBase.', 'torch._C.TensorBase.')
)
SELECT id * 16 + 6 AS node FROM known
UNION ALL
SELECT b.id * 16 + 7 FROM bindings AS b
WHERE b.python_name = :name AND NOT EXISTS (SELECT 1 FROM known)
  AND (b.function_id IS NOT NULL OR b.id = (
      SELECT min(id) FROM bindings WHERE python_name = :name
      HAVING count(function_id) = 0))

-- name: python_named
-- Python functions and classes by a public or a full name.
SELECT DISTINCT a.function_id * 16 + 4 AS node FROM python_apis AS a
WHERE a.api = :name AND a.function_id IS NOT NULL
UNION
SELECT p.id * 16 + 4 FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE substr(:name, 1, length(m.name) + 1) = m.name || '.' AND p.name = substr(:name, length(m.name) + 2)
UNION
SELECT id * 16 + 5 FROM python_classes WHERE name = :name OR public_name = :name
UNION
SELECT coalesce(class_id * 16 + 5, function_id * 16 + 4) FROM python_aliases WHERE name = :name

-- name: classes_named
-- Public classes of this very name, those of torch.nn and torch.optim first.
SELECT id, public_name FROM python_classes
WHERE last = :name COLLATE NOCASE AND last = :name AND public_name IS NOT NULL AND category <> 'test'
ORDER BY public_name NOT IN ('torch.nn.' || :name, 'torch.optim.' || :name), length(public_name), public_name LIMIT 20

-- name: is_semantic
-- Has libclang read the tree?
SELECT EXISTS (SELECT 1 FROM function_usrs) AS yes

-- name: is_built
-- Is there a joined graph at all?
SELECT EXISTS (SELECT 1 FROM edges) OR EXISTS (SELECT 1 FROM calls) AS yes

-- name: not_followed
-- How many calls could be of one of these functions or of another?
SELECT count(*) AS number FROM json_each(:ids) AS w JOIN ambiguous_calls AS a ON a.callee_id = w.value

-- name: leads_on
-- Do edges of some kinds lead on from one of these Python functions?
SELECT EXISTS (SELECT 1 FROM json_each(:functions) AS w JOIN edges AS e ON e.target = w.value * 16 + 4
               WHERE e.kind_id IN (SELECT value FROM json_each(:edges))) AS yes

-- name: apis
-- The public names that end at these operators, or are these Python functions.
SELECT a.api, min(a.id) AS place FROM json_each(:operators) AS w CROSS JOIN python_apis AS a ON a.operator_id = w.value
GROUP BY a.api
UNION
SELECT a.api, min(a.id) FROM json_each(:functions) AS w CROSS JOIN python_apis AS a ON a.function_id = w.value
GROUP BY a.api
ORDER BY 2

-- name: public_classes
-- Which of these classes do users know, and where does the documentation list them?
SELECT c.id, c.public_name, c.section IS NULL AS hidden, c.section_position, c.category
FROM json_each(:ids) AS w JOIN python_classes AS c ON c.id = w.value
WHERE c.public_name IS NOT NULL AND c.category IN ('nn', 'optim', 'lr_scheduler')

-- name: test_count
-- How many tests call these operators, or use these Python functions and classes, or are these functions? What tests
-- use through helpers of their own, which the walk leaves out, counts as well.
WITH RECURSIVE users (id) AS (
    SELECT c.caller_id FROM json_each(:functions) AS w
    CROSS JOIN python_resolutions AS r ON r.function_id = w.value
    CROSS JOIN python_calls AS c ON c.target_id = r.target_id
    UNION
    SELECT c.caller_id FROM json_each(:classes) AS w
    CROSS JOIN python_resolutions AS r ON r.class_id = w.value
    CROSS JOIN python_calls AS c ON c.target_id = r.target_id
    UNION
    SELECT c.caller_id FROM users AS u
    CROSS JOIN python_functions AS p ON p.id = u.id
    CROSS JOIN python_modules AS m ON m.id = p.module_id
    CROSS JOIN source_files AS f ON f.id = m.file_id AND f.path GLOB 'test/*'
    CROSS JOIN python_resolutions AS r ON r.function_id = p.id
    CROSS JOIN python_calls AS c ON c.target_id = r.target_id
    -- Without the hint SQLite builds a Bloom filter over all functions for a handful of rows.
    WHERE likelihood(+u.id > 0, 0.00001) AND NOT EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id)
)
SELECT count(*) AS number FROM (
    -- Those of `add` are aten's, and not those of quantized::add, which is called by its own name.
    SELECT x.test_id FROM (SELECT DISTINCT o.base FROM json_each(:operators) AS w
                           JOIN operators AS o ON o.id = w.value
                           WHERE o.namespace = 'aten' OR NOT EXISTS (
                               SELECT 1 FROM operators AS p WHERE p.base = o.base AND p.namespace = 'aten')) AS b
    CROSS JOIN test_operators AS x ON x.base = b.base
    UNION
    SELECT t.id FROM json_each(:operators) AS w
    JOIN operators AS o ON o.id = w.value AND o.namespace <> 'aten'
    CROSS JOIN python_native_operators AS n ON n.operator_id = o.id
    CROSS JOIN python_resolutions AS r ON r.native_id = n.native_id
    CROSS JOIN python_calls AS c ON c.target_id = r.target_id
    CROSS JOIN tests AS t ON t.function_id = c.caller_id
    UNION
    SELECT t.id FROM users AS u CROSS JOIN tests AS t ON t.function_id = u.id
    UNION
    SELECT t.id FROM json_each(:cpp) AS w CROSS JOIN tests AS t ON t.cpp_function_id = w.value
)

-- name: stub_kernels
-- What is registered with a stub?
SELECT DISTINCT backend, kernel, kernel_file AS path, kernel_line AS line FROM v_stubs
WHERE stub = :name AND kernel <> 'nullptr' ORDER BY kernel, path, backend

-- name: attributes
-- Which of these nodes are read as attributes, without a call that is written? Properties, and what C++ gives to objects.
SELECT p.name, 0 AS is_native
FROM json_each(:nodes) AS w JOIN python_functions AS p ON w.value & 15 = 4 AND p.id = w.value >> 4
WHERE p.kind = 'property'
UNION
SELECT b.python_name, 1
FROM json_each(:nodes) AS w JOIN bindings AS b ON w.value & 15 = 7 AND b.id = w.value >> 4
WHERE b.form IN ('attribute', 'field', 'getset', 'member', 'property') AND b.python_name IS NOT NULL
UNION
SELECT b.python_name, 1
FROM json_each(:nodes) AS w
JOIN python_natives AS n ON w.value & 15 = 6 AND n.id = w.value >> 4
JOIN bindings AS b ON b.python_name = n.name
WHERE b.form IN ('attribute', 'field', 'getset', 'member', 'property')

-- name: other_methods
-- Which methods do some Python classes define besides those that run when one is made or called, the longest first?
SELECT m.name || '.' || f.name AS name, count(*) OVER () AS number
FROM json_each(:ids) AS w
JOIN python_functions AS f ON f.class_id = w.value
JOIN python_modules AS m ON m.id = f.module_id
WHERE f.kind <> 'overload' AND NOT EXISTS (
    SELECT 1 FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'method'
    WHERE e.target = f.id * 16 + 4 AND e.source = w.value * 16 + 5)
ORDER BY instr(f.name, '._') > 0, f.end_line - f.line DESC, f.id
LIMIT 1

-- name: is_used
-- Does any edge lead to one of some nodes?
SELECT EXISTS (SELECT 1 FROM json_each(:nodes) AS x JOIN edges AS e ON e.target = x.value) AS yes
