-- name: of_instance
-- Which launches put together a name that may be that of this instance of a Metal kernel (`host_name("copysign_half")`), and
-- of which kernel are they known? Of the template, or of an instance that stands for all of a header's.
SELECT DISTINCT x.launch_id, d.id, d.name
FROM kernels AS k
CROSS JOIN kernels AS d ON d.file_id = k.file_id AND d.function = k.function AND d.id <> k.id
CROSS JOIN launch_kernels AS x ON x.kernel_id = d.id
CROSS JOIN launches AS l ON l.id = x.launch_id AND k.name GLOB l.kernel
WHERE k.name = :name AND k.platform = 'metal' AND NOT k.is_definition
  AND NOT EXISTS (SELECT 1 FROM launch_kernels AS own WHERE own.kernel_id = k.id)
  AND NOT EXISTS (  -- `scan_outer_half` is what `scan_outer_*` launches, not `scan_*`
      SELECT 1 FROM kernels AS o JOIN launch_kernels AS ox ON ox.kernel_id = o.id
      JOIN launches AS ol ON ol.id = ox.launch_id AND k.name GLOB ol.kernel AND length(ol.kernel) > length(l.kernel)
      WHERE o.file_id = k.file_id AND o.function = k.function)
ORDER BY d.id, x.launch_id
