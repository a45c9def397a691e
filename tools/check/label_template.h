#ifndef GECKOPROF_TOOLS_CHECK_LABEL_TEMPLATE_H_
#define GECKOPROF_TOOLS_CHECK_LABEL_TEMPLATE_H_

#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// LabelTemplate is a label of a marker schema, with its fault and the payload keys that it asks for.
struct LabelTemplate {
  std::string fault;  // empty: well formed
  std::vector<std::string_view> keys;
};

// A label is a text with {marker.name}, {marker.category}, {marker.start}, {marker.end}, {marker.duration},
// {marker.data.KEY} and {marker.data.KEY ? 'a' : 'b'}. The viewer prints nothing for other expressions. The keys point
// into `label`.
LabelTemplate ParseLabelTemplate(std::string_view label);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_LABEL_TEMPLATE_H_
