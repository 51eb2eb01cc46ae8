-- Health of the objects of Concordat, from their conditions.
-- What waits for people is Suspended: neither a sync nor a wave waits for it for ever, and nobody
-- is paged. What somebody has to change in git is Degraded.
local waitsForPeople = {
  ProposalPending = true,
  ProposalConflict = true,
}

local status = obj.status
if status == nil or status.conditions == nil then
  return { status = "Progressing", message = "Not seen by the controller yet." }
end
if obj.metadata.generation ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "The controller has not seen the last change yet." }
end

local is = {}
for _, condition in ipairs(status.conditions) do
  is[condition.type] = condition
end
if is.Suspended ~= nil and is.Suspended.status == "True" then
  return { status = "Suspended", message = is.Suspended.message }
end
local ready = is.Ready
if ready == nil then
  return { status = "Progressing", message = "Not judged by the controller yet." }
end
if ready.status == "True" then
  return { status = "Healthy", message = ready.message }
end
if waitsForPeople[ready.reason] then
  return { status = "Suspended", message = ready.message }
end
if is.Stalled ~= nil and is.Stalled.status == "True" then
  return { status = "Degraded", message = ready.message }
end
return { status = "Progressing", message = ready.message }
