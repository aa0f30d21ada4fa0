-- name: called
-- Which operators does a kernel call, by itself (`depth` 0), through functions of its own file, and through what a
-- Tensor has besides operators (`a * b`, `x.toType(t)`), or a virtual method that few override (`ProcessGroup::allreduce`
-- calls c10d::allreduce_, torch/csrc/distributed/c10d/ProcessGroup.hpp)? `is_sure` where not only the number of arguments tells which
-- overload is called; `is_helper` for what no kernel is about: views, what makes a tensor from options (`is_factory`),
-- and what returns none and writes none, unless each device has a kernel of its own for it; `is_view` for what returns a
-- part of its argument, unwritten; `is_common` for what a sign calls, and for what more than a number of places use.
WITH RECURSIVE through (id, file_id, depth, is_sure) AS (
    SELECT u.id, u.file_id, 0, 1 FROM json_each(:functions) AS f CROSS JOIN functions AS u ON u.id = f.value
    UNION
    SELECT u.id, u.file_id, t.depth + 1, t.is_sure AND c.kind = 'call'
    FROM through AS t
    CROSS JOIN calls AS c ON c.caller_id = t.id AND c.kind IN ('call', 'candidate')
    CROSS JOIN functions AS u ON u.id = c.callee_id
     AND (u.file_id = t.file_id OR u.name GLOB 'at::operator*' OR u.name GLOB 'at::Tensor::*')
    -- Without the hint SQLite builds a Bloom filter over all calls for a handful of rows.
    WHERE unlikely(t.depth < :calls)
    UNION
    -- What a template is given, it calls: the layers of `lstm`.
    SELECT u.id, u.file_id, t.depth + 1, 0
    FROM through AS t
    CROSS JOIN edges AS e ON e.source = t.id * 16 AND e.target & 15 = 0
    CROSS JOIN functions AS u ON u.id = e.target >> 4 AND u.file_id = t.file_id
    WHERE unlikely(t.depth < :calls) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'template')
),
bases (id, depth, is_sure) AS (
    SELECT v.id, v.depth, v.is_sure
    FROM (
        SELECT c.callee_id AS id, t.depth + 1 AS depth, t.is_sure,
               -- To the text, which keeps no declarations, all that may run are called in one line.
               c.origin = 'clang' OR count(*) OVER (PARTITION BY c.caller_id, c.line) = 1 AS is_one
        FROM through AS t
        CROSS JOIN calls AS c ON c.caller_id = t.id AND c.kind = 'virtual'
        -- Without the hint SQLite builds a Bloom filter over all calls for a handful of rows.
        WHERE unlikely(t.depth <= :calls) AND (SELECT u.kind FROM functions AS u WHERE u.id = c.callee_id) = 'method'
    ) AS v
    WHERE v.is_one AND (SELECT count(*) FROM (
        SELECT 1 FROM edges AS n
        CROSS JOIN edge_kinds AS k ON k.id = n.kind_id AND k.kind = 'virtual'
        WHERE n.source = v.id * 16 AND n.target & 15 = 0 LIMIT :overriding + 1)) <= :overriding
),
found (operator_id, function_id, file_id, line, depth, is_sure) AS (
    SELECT e.target >> 4, t.id, e.file_id, e.line, t.depth, t.is_sure AND k.kind <> 'candidate'
    FROM (SELECT id, min(depth) AS depth, max(is_sure) AS is_sure
          FROM (SELECT id, depth, is_sure FROM through UNION ALL SELECT id, depth, is_sure FROM bases)
          GROUP BY id) AS t
    CROSS JOIN edges AS e ON e.source = t.id * 16 AND e.target & 15 = 1
    CROSS JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind IN ('operator', 'handle', 'candidate')
),
-- Once for each operator: a kernel calls some in many places.
called AS MATERIALIZED (
    SELECT o.id, o.name, o.namespace, o.base, o.kind,
           -- What is written returns nothing at times: `_cummax_helper(…, Tensor(a!) values, …) -> ()`.
           NOT EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = o.id AND instr(r.type, 'Tensor')
                         AND (r.alias_annotation IS NULL OR instr(r.alias_annotation, '!')))
           AND NOT EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.is_write)
           -- In place by its name (BaseOperatorName.parse, torchgen/model.py), which not each schema says of its arguments,
           -- and it returns by what it is waited for: `c10d::reduce_(Tensor[] tensors, …) -> Work`.
           AND NOT (o.base GLOB '*[^_]_' AND EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = o.id))
           -- What CPU and CUDA have a kernel each for is work, whatever it gives: `_local_scalar_dense` copies from the
           -- device, `equal` compares there. What is only asked, as `_nnz` and `size`, has one kernel for both.
           AND NOT EXISTS (SELECT 1 FROM dispatch AS d JOIN dispatch AS g ON g.operator_id = d.operator_id
                           WHERE d.operator_id = o.id AND d.dispatch_key = 'CPU' AND g.dispatch_key = 'CUDA'
                             AND d.kernel <> g.kernel) AS is_nothing,
           -- TensorOptionsArguments of torchgen/model.py: the four stand together. Of what has `self` besides, `new_…`
           -- and `…_like` alone make another tensor (torchgen/api/python.py, signature): `_to_copy` copies.
           EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.name = 'pin_memory')
           AND (o.base GLOB 'new_*' OR o.base GLOB '*_like'
                OR NOT EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.name = 'self'
                                 AND a.type = 'Tensor')) AS is_factory,
           EXISTS (SELECT 1 FROM operator_tags AS t WHERE t.operator_id = o.id AND t.tag = 'inplace_view') AS is_inplace_view,
           EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = o.id
                     AND r.alias_annotation IS NOT NULL AND NOT instr(r.alias_annotation, '!')) AS is_view,
           (SELECT count(*) FROM (SELECT 1 FROM edges AS e WHERE e.target = o.id * 16 + 1 LIMIT :common + 1)) > :common AS is_common
    FROM operators AS o WHERE o.id IN (SELECT operator_id FROM found)
)
SELECT o.id, o.name, o.namespace, o.base, o.namespace || '::' || o.base AS packet, o.kind, f.depth, f.is_sure, f.line, s.path,
       CASE WHEN f.depth THEN u.name END AS helper,
       o.is_factory OR o.is_nothing OR o.is_inplace_view AS is_helper, o.is_factory, o.is_view,
       o.is_common OR u.name GLOB 'at::operator*' OR u.name GLOB 'at::Tensor::*' AS is_common
FROM found AS f
CROSS JOIN called AS o ON o.id = f.operator_id
CROSS JOIN functions AS u ON u.id = f.function_id
CROSS JOIN source_files AS s ON s.id = f.file_id
ORDER BY f.depth, f.line, o.id

-- name: called_in_python
-- Which operators does the Python function at a place call, by itself and through functions of its file? A kernel that a
-- helper makes (`_make_prim` of torch/_prims/__init__.py) runs what this is handed in the line that registers it. The
-- nearest first, without overloads. `python` edges alone: a candidate may be another.
WITH RECURSIVE handed (node, line) AS (
    SELECT e.target, e.line
    FROM source_files AS f
    CROSS JOIN edges AS e ON e.source = :operator * 16 + 1 AND e.file_id = f.id AND e.line = :registered_line
    WHERE f.path = :registered AND :is_made AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'dispatch')
      -- What it has in its place while nothing is computed is no part of that.
      AND NOT EXISTS (SELECT 1 FROM edges AS x JOIN edge_kinds AS k ON k.id = x.kind_id
                      WHERE x.source = e.source AND x.target = e.target AND k.kind IN ('meta', 'fake'))
),
through (id, module_id, depth) AS (
    SELECT p.id, p.module_id, 0
    FROM source_files AS f
    CROSS JOIN python_modules AS m ON m.file_id = f.id
    CROSS JOIN python_functions AS p ON p.module_id = m.id
    WHERE f.path = :path
      AND (p.line = :line OR (p.id * 16 + 4 IN (SELECT node FROM handed) AND :line NOT BETWEEN p.line AND p.end_line))
    UNION
    SELECT p.id, p.module_id, t.depth + 1
    FROM through AS t
    CROSS JOIN edges AS e ON e.source = t.id * 16 + 4 AND e.target & 15 = 4
    CROSS JOIN python_functions AS p ON p.id = e.target >> 4 AND p.module_id = t.module_id
    WHERE unlikely(t.depth < :calls) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'python')
)
SELECT o.namespace || '::' || o.base AS packet
FROM (
    SELECT b.target, t.depth, e.line
    FROM (SELECT id, min(depth) AS depth FROM through GROUP BY id) AS t
    CROSS JOIN edges AS e ON e.source = t.id * 16 + 4 AND e.target & 15 = 6
    CROSS JOIN edges AS b ON b.source = e.target AND b.target & 15 = 1
    WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'python')
    UNION ALL
    SELECT node, 0, line FROM handed WHERE node & 15 = 1
) AS c
CROSS JOIN operators AS o ON o.id = c.target >> 4
GROUP BY packet ORDER BY min(c.depth), min(c.line), packet

-- name: composite_kernels
SELECT DISTINCT k.function_id AS id
FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key LIKE 'Composite%'
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
WHERE o.namespace = 'aten' AND o.base = :base
ORDER BY k.function_id

-- name: at
SELECT u.id FROM source_files AS f JOIN functions AS u ON u.file_id = f.id
WHERE f.path = :path AND u.line = :line
ORDER BY u.id

-- name: of_main_keys
-- Which of some operators have a kernel for CPU, for CUDA or for any device?
SELECT DISTINCT d.operator_id AS id
FROM json_each(:operators) AS w CROSS JOIN dispatch AS d ON d.operator_id = w.value
WHERE d.dispatch_key IN ('CPU', 'CUDA') OR d.dispatch_key GLOB 'Composite*'
