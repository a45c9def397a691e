#ifndef GECKOPROF_TOOLS_SYMBOLS_DIE_FORM_H_
#define GECKOPROF_TOOLS_SYMBOLS_DIE_FORM_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// DW_FORM_..., how an attribute's value is written. Bytes of the forms that always have as many; 0: others.
size_t FixedFormBytes(uint16_t form);
bool IsUlebForm(uint16_t form);
// As wide as the unit's offsets.
bool IsOffsetForm(uint16_t form);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DIE_FORM_H_
