#include "grow/presorted/rows.hpp"

namespace treewright {

template class PresortedRows<uint16_t>;
template class PresortedRows<uint32_t>;

}  // namespace treewright
